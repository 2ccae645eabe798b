import { maskText, maskValuesAlone, maskWhole, type Search } from "./mask-text.ts";

/** What stands for a part that nobody can look through. */
export const tooDeepPlaceholder = "[withheld: nested too deep]";
const cyclic = "[withheld: contains itself]";
const unreadable = "[withheld: not JSON]";
const mostLevels = 200;

/** Masks all texts in some data, of any depth and shape. */
export interface DataMask {
  /**
   * A copy without secrets, names of members included; the very same when there were none. Frozen
   * input is fine.
   */
  readonly mask: (data: unknown) => unknown;
}

/** `secret`: below the key of a secret; `texts`: the same, but numbers stay. */
type Mode = "plain" | "secret" | "texts";

/**
 * Makes a mask for one result. What is met twice is looked at once. What is nested more than 200
 * deep, contains itself, or is no JSON (a bigint, a `Map`) is replaced by a text that says so:
 * nothing goes out that was not looked at.
 */
export function createDataMask(search: Search, maskError: (error: Error) => Error): DataMask {
  const seen = {
    plain: new Map<object, unknown>(),
    secret: new Map<object, unknown>(),
    texts: new Map<object, unknown>(),
  };

  const maskValue = (value: unknown, mode: Mode, depth: number): unknown => {
    switch (typeof value) {
      case "string":
        return mode === "plain" ? maskText(value, search) : maskWhole(value, search);
      case "number":
        return maskNumber(value, mode);
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

  const maskNumber = (value: number, mode: Mode): unknown => {
    const text = String(value);
    if (mode === "secret") return search.placeholders.of(text);
    return search.findValues(text).length === 0 ? value : maskText(text, search);
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
      if (masked === list[at] || (Number.isNaN(masked) && Number.isNaN(list[at]))) continue;
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
      if (maskText(name, search) !== name || (masked !== member && !Number.isNaN(member))) isSame = false;
    }
    if (isSame) return owner;
    // Made by defining members, so that one of the name `__proto__` is one.
    return Object.fromEntries(names.map((name, at) => [maskText(name, search), members[at]]));
  };

  return { mask: (data) => maskValue(data, "plain", 0) };
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
  const isBytes = name === "blob" || (name === "data" && isMedia(owner));
  const head = isBytes ? "" : (/^data:[^,]{0,200};base64,/.exec(text)?.[0] ?? undefined);
  if (head === undefined || !base64.test(text.slice(head.length))) return undefined;
  const encoded = text.slice(head.length);
  const type: unknown = isBytes ? (Reflect.get(owner, "mimeType") ?? "") : head.slice("data:".length);
  const plain = type === "" || textual.test(String(type)) ? decode(encoded) : undefined;
  if (plain === undefined) return maskText(head, search) + maskValuesAlone(encoded, search);
  const masked = maskText(plain, search);
  return maskText(head, search) + (masked === plain ? encoded : encode(masked));
}

function isMedia(owner: object): boolean {
  const type: unknown = Reflect.get(owner, "type");
  return type === "image" || type === "audio";
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
