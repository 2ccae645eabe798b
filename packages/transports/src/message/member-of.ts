/**
 * A member of a value of unknown type, inherited ones included; `undefined` for what has no
 * members.
 */
export function anyMemberOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}
