import { isCredentialHeader } from "./check-http-spec.ts";
import { isSecretName } from "./secret-name.ts";
import { serverTypeOf, type ServerEntry, type ServerSharing, type ServerSpec } from "./server-spec.ts";
import { holdsCredential, secretOfArgument } from "./spec-secrets.ts";
import { httpModes, serverEntryFields, settingFields } from "./assert-server-spec.ts";

/**
 * Returns who may share a connection to this server: what its spec says, else all, but those of one
 * principal alone where it has credentials.
 */
export function sharingOf(spec: ServerSpec): ServerSharing {
  return spec.sharing ?? (hasCredentials(spec) ? "principal" : "shared");
}

/**
 * Whether whoever uses the server does so with somebody's credentials, as far as the spec shows.
 */
function hasCredentials(spec: ServerSpec): boolean {
  return (spec.url !== undefined && spec.auth !== undefined) || credentialFieldsOf(spec).length > 0;
}

/**
 * Names the members of an entry that hold a credential as it is: `headers["X-API-Key"]`. Never
 * their values.
 */
export function credentialFieldsOf(entry: ServerEntry): readonly string[] {
  if (entry.command !== undefined) {
    const { command, args = [], env = {} } = entry;
    const words = command.trim().split(/\s+/);
    return [
      ...(words.some((word, index) => index > 0 && isSecretArgument(word, words[index - 1])) ? ["command"] : []),
      ...Object.entries(env)
        .filter(([name, value]) => isSecretName(name) || holdsCredential(value))
        .map(([name]) => `env[${JSON.stringify(name)}]`),
      ...args.flatMap((argument, index) => (isSecretArgument(argument, args[index - 1]) ? [`args[${index}]`] : [])),
    ];
  }
  if (entry.url === undefined) return [];
  const names = Object.entries(entry.headers ?? {}).flatMap(([name, value]) =>
    isCredentialHeader(name) || holdsCredential(value) ? [name] : [],
  );
  return [
    ...((entry.bearerToken ?? "").trim() === "" ? [] : ["bearerToken"]),
    ...((entry.tls?.key ?? "").trim() === "" ? [] : ["tls.key"]),
    ...names.map((name) => `headers[${JSON.stringify(name)}]`),
    ...(hasSecretInUrl(entry.url) ? ["url"] : []),
  ];
}

function isSecretArgument(argument: string, before: string | undefined): boolean {
  return secretOfArgument(argument, before) !== undefined || holdsCredential(argument);
}

// Whatever the user of it is called: it is sent as a credential.
function hasSecretInUrl(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { username, password, searchParams } = new URL(url);
  return username !== "" || password !== "" || Array.from(searchParams.keys()).some(isSecretName);
}

/**
 * Copies a spec that has passed `assertServerSpec`, and freezes the copy: later changes to the
 * original have no effect. The copy has its `type`, and for `"sse"` and `"streamable-http"` it has
 * type `"http"` and a `mode`. Functions, and objects of a class, are kept as they are.
 */
export function copySpec(spec: ServerSpec): ServerSpec {
  return copyData(normalize(spec));
}

/**
 * Picks the members that say how a server is reached, its settings left out; equal for equal
 * servers.
 */
export function reachOf(entry: ServerEntry): Readonly<Record<string, unknown>> {
  const type = serverTypeOf(entry);
  const members = Object.entries(normalize(entry)).filter(
    ([name, value]) => value !== undefined && name in serverEntryFields[type] && !(name in settingFields),
  );
  return Object.fromEntries(members);
}

// With a type, and one way to write a mode.
function normalize<Entry extends ServerEntry>(entry: Entry): Entry {
  if (entry.url === undefined) return { ...entry, type: serverTypeOf(entry) };
  const { type = "http" } = entry;
  return { ...entry, type: "http", ...(type !== "http" && { mode: httpModes[type] }) };
}

// Bounded by the shape of a spec, which has no place for anything deeper.
function copyData<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  // A copy has the type of what it is a copy of.
  if (Array.isArray(value)) return Object.freeze(value.map(copyData)) as T;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return value;
  // fromEntries defines members, so that a header called "__proto__" is one like any other.
  return Object.freeze(
    Object.fromEntries(Object.entries(value).map(([name, member]) => [name, copyData(member)])),
  ) as T;
}
