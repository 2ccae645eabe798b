import type { JsonObject, JsonValue } from "@hostside/core";
import { isPlainObject, isSecretName, canonicalJson, compareText } from "@hostside/core/implement";
import type { ConfiguredServer, ServerDraft } from "../drafts/configured-server.ts";
import { parseEnvFile } from "../expand/resolve-reference.ts";
import { tightenEntry } from "../layers/tighten.ts";
import { formatPath } from "../parse/config-data.ts";
import type { TrustEntry, TrustQuestion, NamedReference } from "./trust.ts";
import { configDialectOf } from "../dialects/all-dialects.ts";
import { findReferences } from "../syntax/references.ts";

const shownApart: ReadonlySet<string> = new Set("id type command args cwd env url headers".split(" "));

/** All of an entry that takes effect, as a person is shown it: nothing of it is left out. Pure. */
export function describeEntry({
  server: written,
  contents = {},
  settings,
  replaces = [],
}: TrustEntry): Pick<TrustQuestion, "starts" | "cwd" | "sets" | "settings" | "replaces"> {
  const { draft, extras, variables, inputs } = tightenEntry(written).server;
  const isProgram = draft.command !== undefined;
  const starts = isProgram ? [draft.command, ...(draft.args ?? [])] : [draft.url];
  const { cwd } = isProgram ? draft : {};
  const others = Object.entries(draft).filter(([name]) => !shownApart.has(name));
  const shown = referencesIn(written, readable(draft));
  const named = new Set(referencesOf(written).flatMap(({ kind, name }) => (kind === "input" ? [name] : [])));
  const defaults = inputs.flatMap(({ id, default: text }) =>
    named.has(id) && text !== undefined ? [{ id, text }] : [],
  );
  return {
    starts: settings === undefined ? starts : [],
    ...(cwd === undefined ? {} : { cwd }),
    sets: Object.entries((isProgram ? draft.env : draft.headers) ?? {}).map(([name, value]) => `${name}=${value}`),
    settings: [
      ...membersOf({ ...Object.fromEntries(others), ...extras }),
      ...variables.map(({ field, variable }) => `${field} is the variable ${variable}`),
      ...defaults.map(({ id, text }) => `input ${id}=${JSON.stringify(text)}`),
      ...Object.entries(contents).flatMap(([path, text]) => {
        if (path === extras.envFile) return variablesOf(path, text);
        return `file ${path} has ${shown.has(`file ${path}`) ? JSON.stringify(text) : `${text.length} characters`}`;
      }),
      ...Object.entries(settings ?? {}).flatMap(([file, set]) =>
        membersOf(set).map((member) => `${member} of ${file}`),
      ),
    ],
    replaces,
  };
}

// `oauth.clientId="x"`: each value that is no object, with its path.
function membersOf(value: object, path: readonly string[] = []): readonly string[] {
  return Object.entries(value).flatMap(([name, member]: readonly [string, unknown]) => {
    const at = [...path, name];
    if (isPlainObject(member)) return membersOf(member, at);
    return member === undefined ? [] : [`${formatPath(at)}=${JSON.stringify(member)}`];
  });
}

function variablesOf(path: string, text: string): readonly string[] {
  return Array.from(parseEnvFile(text), ([name, value]) => {
    return `${name}${isHidden(name) ? ` (${value.length} characters)` : `=${JSON.stringify(value)}`} of file ${path}`;
  });
}

// All that is sent or run, but for what may be the user's own secret, which lies in the project.
function readable(draft: ServerDraft): unknown {
  if (draft.command === undefined) return draft.url;
  const { command, args, cwd, env = {} } = draft;
  return [command, args, cwd, Object.entries(env).filter(([name]) => !isHidden(name))];
}

// What has this name runs another program.
function isHidden(name: string): boolean {
  return isSecretName(name) && !/askpass/i.test(name);
}

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

/**
 * All that is put into an entry when it is used, each once, sorted by kind and name. Values are not
 * among it.
 */
export function referencesOf(server: ConfiguredServer): readonly NamedReference[] {
  const { draft, extras, variables } = server;
  const found = new Map(referencesIn(server, [draft, extras]));
  const add = (reference: NamedReference): void => void found.set(keyOf(reference), reference);
  for (const { variable } of variables) add({ kind: "variable", name: variable });
  for (const name of filePathsOf(server)) add({ kind: "file", name });
  return [...found].toSorted(([a], [b]) => compareText(a, b)).map(([, reference]) => reference);
}

/**
 * The members of an entry that are paths of files, as they are written: the file of variables, and
 * what of `tls` is neither PEM nor a reference to a file.
 */
export function filePathsOf(server: ConfiguredServer): readonly string[] {
  const { draft, extras } = server;
  const { ca, cert, key } = (draft.command === undefined && draft.tls) || {};
  const isFile = (text: string): boolean =>
    Array.from(referencesIn(server, text).values()).some(({ kind }) => kind === "file");
  const paths = [ca, cert, key]
    .flat()
    .filter((text) => text !== undefined && !text.includes("-----BEGIN ") && !isFile(text));
  return [extras.envFile, ...paths].filter((path) => path !== undefined);
}

/** The references in the texts of some of an entry, by kind and name. */
function referencesIn({ dialect }: ConfiguredServer, part: unknown): ReadonlyMap<string, NamedReference> {
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
