import type { JsonValue, ServerSpec } from "@hostside/core";
import { compareText, isPlainObject } from "@hostside/core/implement";
import { hashJson } from "@hostside/naming";

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
