import { compareText } from "@hostside/core/implement";
import type { ConfiguredServer } from "../configured-server.ts";
import { configDialectOf } from "../dialects/all-dialects.ts";
import { findReferences } from "../expand/find-references.ts";
import type { NamedReference } from "./trust.ts";

/**
 * All that is put into an entry when it is used, each once, sorted by kind and name. Values are not
 * among it.
 */
export function referencesOf({ dialect, draft, extras, variables }: ConfiguredServer): readonly NamedReference[] {
  const { syntax } = configDialectOf(dialect);
  const found = new Map<string, NamedReference>();
  const add = ({ kind, name }: NamedReference): void => void found.set(`${kind} ${name}`, { kind, name });
  for (const text of textsIn([draft, extras])) {
    for (const piece of findReferences(text, syntax)) if (typeof piece !== "string") add(piece);
  }
  for (const { variable } of variables) add({ kind: "variable", name: variable });
  if (extras.envFile !== undefined) add({ kind: "file", name: extras.envFile });
  return [...found].toSorted(([a], [b]) => compareText(a, b)).map(([, reference]) => reference);
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}
