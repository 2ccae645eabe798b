import { assertServerSpec, HostsideError, type Connector, type ServerSpec, type JsonValue } from "@hostside/core";
import { copySpec, foldCase, compareText, isPlainObject } from "@hostside/core/implement";
import { normalizeServerId, hashJson, type NamingStrategy } from "@hostside/naming";

/**
 * Checks a spec whole, before anything starts, and returns a frozen copy of it: from then on only
 * the provider changes what is registered. Throws `invalid_spec` or `unsupported_transport`.
 */
export function readSpec(spec: ServerSpec, connector: Connector): ServerSpec {
  assertServerSpec(spec);
  const copy = copySpec(spec);
  connector.check?.(copy);
  return copy;
}

/**
 * Checks the specs that a provider starts with: each one by itself, then that no two have the same
 * id, or ids that look the same in names. Returns frozen copies. Throws `invalid_spec`,
 * `unsupported_transport` or `duplicate_server`.
 */
export function readSpecs(
  specs: readonly ServerSpec[],
  connector: Connector,
  naming: NamingStrategy,
): readonly ServerSpec[] {
  const copies: ServerSpec[] = [];
  const ids: string[] = [];
  for (const spec of specs) {
    const copy = readSpec(spec, connector);
    checkId(copy.id, ids, naming);
    ids.push(copy.id);
    copies.push(copy);
  }
  return copies;
}

/**
 * Throws `duplicate_server` when the id is taken, differs from one of `ids` in nothing that shows
 * in a name, or in ASCII case alone: groups are looked up regardless of it, whatever the naming.
 */
export function checkId(id: string, ids: Iterable<string>, naming: NamingStrategy): void {
  const normalized = normalizeServerId(id, naming);
  const folded = foldCase(id);
  for (const other of ids) {
    if (other === id) {
      throw duplicateError(id, "already exists; choose another id, or give it another spec with updateServer()");
    }
    const rival = JSON.stringify(other);
    if (normalizeServerId(other, naming) === normalized) {
      const shown = JSON.stringify(normalized);
      throw duplicateError(id, `collides with server ${rival}: both ids are ${shown} in tool names; choose another id`);
    }
    if (foldCase(other) !== folded) continue;
    throw duplicateError(id, `differs from server ${rival} in upper and lower case only; choose another id`);
  }
}

function duplicateError(id: string, what: string): HostsideError {
  return new HostsideError(`server ${JSON.stringify(id)} ${what}`, {
    code: "duplicate_server",
    serverId: id,
    details: { field: "id" },
  });
}

// What is no data has no other sign than being the same object.
const numbers = new WeakMap<object, number>();
let last = 0;

/**
 * `sha256-` and a hash of a set of servers, in hexadecimal: equal for sets with equal specs,
 * whatever their order and the order of members. A member that is `undefined` is absent; one that
 * says its default is another spec. Timeouts do not count, because they restart nothing. The
 * functions of `memory` and `custom` transports are compared by identity, within this process. Not
 * meant to be public: it is made from credentials, too.
 */
export function fingerprintServers(servers: readonly ServerSpec[]): string {
  const sorted = [...servers].sort((a, b) => compareText(a.id, b.id));
  return hashJson(sorted.map(({ timeouts: _timeouts, ...spec }) => toJson(spec)));
}

function toJson(value: unknown): JsonValue {
  if (typeof value === "function") return { identity: numberOf(value) };
  if (Array.isArray(value)) return value.map(toJson);
  if (typeof value !== "object" || value === null) return value as JsonValue;
  if (!isPlainObject(value)) return { identity: numberOf(value) };
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(members.map(([name, member]) => [name, toJson(member)]));
}

function numberOf(thing: object): number {
  const known = numbers.get(thing);
  if (known !== undefined) return known;
  last += 1;
  numbers.set(thing, last);
  return last;
}
