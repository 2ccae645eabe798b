import { compareText } from "@hostside/core/implement";
import type { ConfiguredServer } from "../configured-server.ts";
import { configDialectOf } from "../dialects/all-dialects.ts";
import { findReferences } from "../expand/find-references.ts";
import type { NamedReference } from "./trust.ts";

/**
 * All that is put into an entry when it is used, each once, sorted by kind and name. Values are not
 * among it.
 */
export function referencesOf(server: ConfiguredServer): readonly NamedReference[] {
  const { draft, extras, variables } = server;
  const found = new Map(referencesIn(server, [draft, extras]));
  const add = (reference: NamedReference): void => void found.set(keyOf(reference), reference);
  for (const { variable } of variables) add({ kind: "variable", name: variable });
  if (extras.envFile !== undefined) add({ kind: "file", name: extras.envFile });
  return [...found].toSorted(([a], [b]) => compareText(a, b)).map(([, reference]) => reference);
}

/** The references in the texts of some of an entry, by kind and name. */
export function referencesIn({ dialect }: ConfiguredServer, part: unknown): ReadonlyMap<string, NamedReference> {
  const { syntax } = configDialectOf(dialect);
  const pieces = textsIn(part).flatMap((text) => findReferences(text, syntax));
  const references = pieces.filter((piece) => typeof piece !== "string").map(({ kind, name }) => ({ kind, name }));
  return new Map(references.map((reference) => [keyOf(reference), reference]));
}

function keyOf({ kind, name }: NamedReference): string {
  return `${kind} ${name}`;
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}
