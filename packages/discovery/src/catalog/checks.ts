import { kindOf } from "@hostside/core/implement";

/** A member, what it must be if it is given, in words, and whether it must be given. */
export type Check = readonly [member: string, isRight: (value: unknown) => boolean, rule: string, isNeeded?: "needed"];

export const isText = (value: unknown): boolean => typeof value === "string";
export const isFunction = (value: unknown): boolean => typeof value === "function";
export const isFlag = (value: unknown): boolean => typeof value === "boolean";

/** True for an array whose items are all right. */
export function isListOf(isRight: (item: unknown) => boolean): (value: unknown) => boolean {
  return (value) => Array.isArray(value) && value.every(isRight);
}

/** Throws a `TypeError` for the first member that is not right; `of` says whose it is. */
export function assertMembers(owner: object, checks: readonly Check[], of: string = ""): void {
  for (const [member, isRight, rule, isNeeded] of checks) {
    const given: unknown = Reflect.get(owner, member);
    if (isRight(given) || (isNeeded === undefined && given === undefined)) continue;
    const isOtherList = Array.isArray(given) && rule.startsWith("an array");
    throw new TypeError(`${member}${of} must be ${rule}${isOtherList ? "" : `, not ${kindOf(given)}`}`);
  }
}
