import type { JsonObject, JsonValue } from "@hostside/core";
import { canonicalJson } from "@hostside/core/implement";
import { referencesOf } from "./references-of.ts";
import type { TrustEntry } from "./trust.ts";

/** A hash of an entry, and of each of its parts. */
export interface EntryFingerprint {
  readonly fingerprint: string;
  readonly parts: Readonly<Record<string, string>>;
}

/**
 * SHA-256 over all of an entry that decides what it does, before anything is put into it: its
 * draft, what a spec has no place for, the dialect, by which references are read, the inputs that
 * it names, what stands in files of the project and what these say of the host, and which files of
 * the user's it stands in place of.
 */
export async function fingerprintEntry(entry: TrustEntry): Promise<EntryFingerprint> {
  const parts: [string, string][] = [];
  for (const [name, value] of partsOf(entry)) parts.push([name, await hashText(canonicalJson(value))]);
  const named = Object.fromEntries(parts);
  return { fingerprint: await hashText(canonicalJson([1, entry.folder, entry.server.id, named])), parts: named };
}

/** SHA-256 of a text in UTF-8, as hex digits. */
export async function hashText(text: string): Promise<string> {
  // UTF-8 has no lone surrogates, and writes each as the same replacement; JSON writes them as
  // escapes.
  const bytes = new TextEncoder().encode(text.isWellFormed() ? text : JSON.stringify(text));
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function partsOf({
  server,
  files = {},
  settings = {},
  replaces = [],
}: TrustEntry): readonly (readonly [string, JsonValue])[] {
  const { draft, extras, variables, dialect, inputs } = server;
  const { id: _, ...fields } = draft;
  const references = referencesOf(server);
  const needed = new Set(references.flatMap(({ kind, name }) => (kind === "input" ? [name] : [])));
  return [
    ["dialect", dialect],
    ...members(fields),
    ...members(extras),
    ["variables", toJson(variables)],
    ["references", toJson(references)],
    ["inputs", toJson(inputs.filter(({ id }) => needed.has(id)))],
    ...Object.entries(files).map(([path, hash]) => [`file ${path}`, hash] as const),
    ...Object.entries(settings).map(([path, set]) => [`settings of ${path}`, toJson(set)] as const),
    ...(replaces.length === 0 ? [] : [["replaces", toJson(replaces)] as const]),
  ];
}

function members(record: object): readonly (readonly [string, JsonValue])[] {
  return Object.entries(toJson(record) as JsonObject).map(([name, value]) => [name, value as JsonValue]);
}

// Without what is `undefined`; the entry came from JSON or its like.
function toJson(value: unknown): JsonValue {
  return JSON.parse(JSON.stringify(value)) as JsonValue;
}
