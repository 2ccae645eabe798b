import { serverTypeOf, type ServerEntry, type ServerSharing, type ServerSpec } from "./server-spec.ts";
import { credentialFieldsOf } from "./server-credentials.ts";
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
