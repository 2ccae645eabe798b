import { isHostsideError, HostsideError, type ErrorDetails } from "@hostside/core";
import { safeCause } from "@hostside/core/implement";
import { createDataMask, type DataMask } from "./mask-data.ts";
import { maskText, type Search } from "./mask-text.ts";

// A chain of causes is short; the bound is against one that loops.
const longestChain = 8;

/** Masks what is thrown as well as data. */
export interface ErrorMask extends DataMask {
  /**
   * The very same when there were no secrets. Code, outcome and whether it may be tried again stay.
   */
  readonly maskThrown: (thrown: unknown) => unknown;
}

/** Makes a mask for all that comes of one call. */
export function createErrorMask(search: Search): ErrorMask {
  let depth = 0;
  const { mask } = createDataMask(search, (error) => {
    if (depth >= longestChain) return new Error("[withheld: too many causes]");
    depth += 1;
    try {
      return isHostsideError(error) ? maskHostsideError(error, { mask, search }) : maskForeign(error, { mask, search });
    } finally {
      depth -= 1;
    }
  });
  return { mask, maskThrown: mask };
}

interface Masking extends DataMask {
  readonly search: Search;
}

function maskHostsideError(error: HostsideError, { mask, search }: Masking): HostsideError {
  const message = maskText(error.rawMessage, search);
  const details = maskDetails(error.details, mask);
  const cause = mask(error.cause);
  const toolName = error.toolName === undefined ? undefined : maskText(error.toolName, search);
  const stack = maskText(String(error.stack), search);
  const isSame =
    message === error.rawMessage &&
    details === error.details &&
    cause === error.cause &&
    toolName === error.toolName &&
    stack === error.stack;
  if (isSame) return error;
  const { code, serverId, retryable, outcome } = error;
  const copy = new HostsideError(message, { code, serverId, toolName, retryable, outcome, details, cause });
  return withStack(copy, stack);
}

// A suspended call has the arguments of the caller, who needs it as it was sealed.
function maskDetails(details: ErrorDetails, mask: DataMask["mask"]): ErrorDetails {
  const { approval, ...rest } = details;
  if (approval === undefined) return mask(details) as ErrorDetails;
  const masked = mask(rest);
  return masked === rest ? details : { ...(masked as ErrorDetails), approval };
}

/**
 * An error that is not ours is given as it is when all its members are clean, getters of its
 * classes included; else a copy without them.
 */
function maskForeign(error: Error, { mask, search }: Masking): Error {
  const cause = mask(error.cause);
  const redact = (text: string): string => maskText(text, search);
  const members = membersOf(error).filter((name) => name !== "cause");
  const isClean =
    cause === error.cause &&
    members.every((name) => typeof name === "symbol" || redact(name) === name) &&
    members.every((name) => {
      const member: unknown = Reflect.get(error, name);
      return typeof member === "function" || mask(member) === member;
    }) &&
    redact(error.name) === error.name &&
    redact(error.message) === error.message;
  if (isClean) return error;
  const copy = safeCause(error, redact) ?? new Error("[withheld]");
  Object.defineProperty(copy, "cause", { value: cause, writable: true, configurable: true, enumerable: false });
  return copy;
}

// As deep as classes of errors are, and then some.
const longestLine = 16;

/**
 * The names of all that can be read of an error: its own members, and what its classes have besides
 * methods, such as getters.
 */
function membersOf(error: Error): readonly (string | symbol)[] {
  const members = new Set(Reflect.ownKeys(error));
  let prototype: unknown = Object.getPrototypeOf(error);
  for (let depth = 0; depth < longestLine && isOwnClass(prototype); depth += 1) {
    for (const name of Reflect.ownKeys(prototype)) {
      if (typeof Reflect.getOwnPropertyDescriptor(prototype, name)?.value !== "function") members.add(name);
    }
    prototype = Object.getPrototypeOf(prototype);
  }
  return Array.from(members);
}

// What every error and every object has is known.
function isOwnClass(prototype: unknown): prototype is object {
  return prototype !== null && prototype !== Error.prototype && prototype !== Object.prototype;
}

function withStack<E extends Error>(error: E, stack: string): E {
  return Object.defineProperty(error, "stack", { value: stack, writable: true, configurable: true, enumerable: false });
}
