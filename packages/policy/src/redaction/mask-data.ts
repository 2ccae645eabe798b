import { HostsideError, isHostsideError, type ErrorDetails } from "@hostside/core";
import { safeCause } from "@hostside/core/implement";
import { maskText, maskValuesAlone, maskWhole, type Search } from "./mask-text.ts";

/** Stands for a part that nobody can look through. */
export const tooDeepPlaceholder = "[withheld: nested too deep]";
const cyclic = "[withheld: contains itself]";
const unreadable = "[withheld: not JSON]";
const mostLevels = 200;
// A chain of causes is short; the bound is against one that loops.
const longestChain = 8;

/** `secret`: below the key of a secret; `texts`: the same, but numbers stay. */
type Mode = "plain" | "secret" | "texts";

/** Copies a value without secrets; returns the very same when there were none. */
type Mask = (value: unknown) => unknown;

/**
 * Makes a mask for all texts in what comes of one call, of any depth and shape, names of members
 * and errors included. Frozen input is fine, and a part that is met twice is looked at once. A part
 * that is nested more than 200 deep, contains itself, or is no JSON (a bigint, a `Map`) is replaced
 * by a text that says so: nothing goes out that was not looked at. Code, outcome and `retryable` of
 * an error stay.
 */
export function createMask(search: Search): Mask {
  const seen = {
    plain: new Map<object, unknown>(),
    secret: new Map<object, unknown>(),
    texts: new Map<object, unknown>(),
  };
  let causes = 0;
  const mask: Mask = (data) => maskValue(data, "plain", 0);

  const maskValue = (value: unknown, mode: Mode, depth: number): unknown => {
    switch (typeof value) {
      case "string":
        return mode === "plain" ? maskText(value, search) : maskWhole(value, search);
      case "number":
        return maskNumber(value, mode, search);
      case "boolean":
      case "undefined":
        return value;
      case "object":
        return value === null ? value : maskObject(value, mode, depth);
      case "bigint":
      case "function":
      case "symbol":
        return unreadable;
    }
  };

  const maskError = (error: Error): Error => {
    if (causes >= longestChain) return new Error("[withheld: too many causes]");
    causes += 1;
    try {
      return isHostsideError(error) ? maskHostsideError(error, mask, search) : maskForeign(error, mask, search);
    } finally {
      causes -= 1;
    }
  };

  const maskObject = (value: object, mode: Mode, depth: number): unknown => {
    if (value instanceof Error) return maskError(value);
    if (depth >= mostLevels) return tooDeepPlaceholder;
    const known = seen[mode].get(value);
    if (known !== undefined) return known;
    seen[mode].set(value, cyclic);
    const masked = Array.isArray(value)
      ? maskList(value, mode, depth + 1)
      : isPlain(value)
        ? maskMembers(value, mode, depth + 1)
        : maskValue(asJson(value), mode, depth + 1);
    seen[mode].set(value, masked);
    return masked;
  };

  const maskList = (list: readonly unknown[], mode: Mode, depth: number): unknown => {
    let copy: unknown[] | undefined;
    for (let at = 0; at < list.length; at += 1) {
      const masked = maskValue(list[at], mode, depth);
      if (Object.is(masked, list[at])) continue;
      copy ??= [...list];
      copy[at] = masked;
    }
    return copy ?? list;
  };

  const maskMembers = (owner: object, mode: Mode, depth: number): unknown => {
    const names = Object.keys(owner);
    const named = isNamedSecret(owner, names, search);
    const members: unknown[] = [];
    let isSame = true;
    for (const name of names) {
      // Once: a getter may say something else the next time.
      const member: unknown = Reflect.get(owner, name);
      const verdict = search.keys(name) ?? (name === "value" ? named : undefined);
      const bytes =
        mode === "plain" && typeof member === "string" ? maskBytes({ owner, name, text: member }, search) : undefined;
      const below = mode === "secret" || verdict === "all" ? "secret" : verdict === "texts" ? "texts" : mode;
      const masked = bytes ?? maskValue(member, below, depth);
      members.push(masked);
      if (maskText(name, search) !== name || !Object.is(masked, member)) isSame = false;
    }
    if (isSame) return owner;
    // Made by defining members, so that one of the name `__proto__` is one.
    return Object.fromEntries(names.map((name, at) => [maskText(name, search), members[at]]));
  };

  return mask;
}

function maskNumber(value: number, mode: Mode, search: Search): unknown {
  const text = String(value);
  if (mode === "secret") return search.placeholders.of(text);
  return search.findValues(text).length === 0 ? value : maskText(text, search);
}

// Headers and variables in a list: `{"name": "Authorization", "value": "…"}`.
function isNamedSecret(owner: object, names: readonly string[], { keys }: Search): ReturnType<Search["keys"]> {
  if (names.length > 16 || !names.includes("value")) return undefined;
  const nameOfName = names.find((name) => name === "name" || name === "key");
  const named: unknown = nameOfName && Reflect.get(owner, nameOfName);
  return typeof named === "string" ? keys(named) : undefined;
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function asJson(value: object): unknown {
  try {
    const text: unknown = JSON.stringify(value);
    return typeof text === "string" ? JSON.parse(text) : unreadable;
  } catch {
    return unreadable;
  }
}

interface TextMember {
  readonly owner: object;
  readonly name: string;
  readonly text: string;
}

const base64 = /^[A-Za-z0-9+/\s]+={0,2}\s*$/;
const textual =
  /^(?:text\/|application\/(?:json|xml|yaml|x-yaml|toml|javascript|x-sh)|[^;]{0,100}\+(?:json|xml|yaml))/i;

/**
 * Masks a member that is Base64: of a text, as a text; of anything else, only the values that the
 * host knows. `undefined` for a member that is none.
 */
function maskBytes({ owner, name, text }: TextMember, search: Search): string | undefined {
  const kind: unknown = Reflect.get(owner, "type");
  const isBytes = name === "blob" || (name === "data" && (kind === "image" || kind === "audio"));
  const head = isBytes ? "" : (/^data:[^,]{0,200};base64,/.exec(text)?.[0] ?? undefined);
  if (head === undefined || !base64.test(text.slice(head.length))) return undefined;
  const encoded = text.slice(head.length);
  const type: unknown = isBytes ? (Reflect.get(owner, "mimeType") ?? "") : head.slice("data:".length);
  const plain = type === "" || textual.test(String(type)) ? decode(encoded) : undefined;
  if (plain === undefined) return maskText(head, search) + maskValuesAlone(encoded, search);
  const masked = maskText(plain, search);
  return maskText(head, search) + (masked === plain ? encoded : encode(masked));
}

function decode(encoded: string): string | undefined {
  try {
    const bytes = Uint8Array.from(atob(encoded), (character) => character.charCodeAt(0));
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function encode(text: string): string {
  return btoa(Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join(""));
}

function maskHostsideError(error: HostsideError, mask: Mask, search: Search): HostsideError {
  const { code, serverId, retryable, outcome } = error;
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
  const copy = new HostsideError(message, { code, serverId, toolName, retryable, outcome, details, cause });
  return Object.defineProperty(copy, "stack", { ...hidden, value: stack });
}

const hidden = { writable: true, configurable: true, enumerable: false };

// A suspended call has the arguments of the caller, who needs it as it was sealed.
function maskDetails(details: ErrorDetails, mask: Mask): ErrorDetails {
  const { approval, ...rest } = details;
  if (approval === undefined) return mask(details) as ErrorDetails;
  const masked = mask(rest);
  return masked === rest ? details : { ...(masked as ErrorDetails), approval };
}

/**
 * Returns an error that is not ours as it is when all its members are clean, getters of its classes
 * included; else a copy without them.
 */
function maskForeign(error: Error, mask: Mask, search: Search): Error {
  const cause = mask(error.cause);
  const redact = (text: string): string => maskText(text, search);
  const isClean = (name: string | symbol): boolean => {
    const member: unknown = Reflect.get(error, name);
    return (
      (typeof name === "symbol" || redact(name) === name) && (typeof member === "function" || mask(member) === member)
    );
  };
  const members = membersOf(error).filter((name) => name !== "cause");
  if (cause === error.cause && [...members, "name", "message"].every(isClean)) return error;
  const copy = safeCause(error, redact) ?? new Error("[withheld]");
  return Object.defineProperty(copy, "cause", { ...hidden, value: cause });
}

/** The names of all that can be read of an error: its own members, and those of its classes. */
function membersOf(error: Error): readonly (string | symbol)[] {
  const members = new Set<string | symbol>();
  // What every error and every object has is known.
  for (let owner: object | null = error; owner !== null && owner !== Error.prototype && owner !== Object.prototype;) {
    for (const name of Reflect.ownKeys(owner)) members.add(name);
    owner = Object.getPrototypeOf(owner) as object | null;
  }
  return Array.from(members);
}
