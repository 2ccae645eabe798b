import type { Interceptor, JsonObject } from "@hostside/core";
import { isPlainObject } from "@hostside/core/implement";
import type { StageParts } from "../policy-parts.ts";
import { refuseCall } from "../refuse.ts";

// Deeper than any schema asks for; a cycle has no end.
const deepest = 500;

/**
 * Hands on a frozen copy of the arguments: the stages look at exactly what runs, in every try.
 * Refuses arguments that are too deep or cyclic with `invalid_arguments`.
 */
export function freezeArguments(parts: StageParts): Interceptor {
  return (call, next) => {
    const args = copyData(call.args, 0);
    if (args !== undefined) return next({ ...call, args: args as JsonObject });
    const reason = `has arguments that are nested deeper than ${deepest} levels, or without an end`;
    return Promise.reject(
      refuseCall(call, { stage: "input", code: "invalid_arguments", reason, rule: "arguments" }, parts),
    );
  };
}

/** Copies and freezes arrays and plain objects. Returns `undefined` for what is too deep. */
function copyData(value: unknown, depth: number): unknown {
  if (depth > deepest) return undefined;
  if (Array.isArray(value)) {
    const list: unknown[] = [];
    for (const item of value as readonly unknown[]) {
      const copy = copyData(item, depth + 1);
      if (copy === undefined && item !== undefined) return undefined;
      list.push(copy);
    }
    return Object.freeze(list);
  }
  if (!isPlainObject(value)) return value;
  const members: Record<string, unknown> = {};
  for (const name of Object.keys(value)) {
    const member = value[name];
    const copy = copyData(member, depth + 1);
    if (copy === undefined && member !== undefined) return undefined;
    // To assign it would set the prototype.
    if (name === "__proto__") Object.defineProperty(members, name, { value: copy, ...likeAssigned });
    else members[name] = copy;
  }
  return Object.freeze(members);
}

const likeAssigned = { enumerable: true, configurable: true, writable: true };
