/**
 * The content of a configuration, whatever it was written in. Members are in a `Map`, in the order
 * of the file: names such as `__proto__` and `10` are names like any other.
 */
export type ConfigData = string | number | boolean | null | readonly ConfigData[] | ConfigMap;

/** An object of a configuration. */
export type ConfigMap = ReadonlyMap<string, ConfigData>;

/** A way through {@linkcode ConfigData}: names of members and indexes of items. */
export type ConfigPath = readonly (string | number)[];

const plainName = /^[\w$@/+-]+$/u;

/**
 * A path as a text: `mcpServers.github.args[0]`; a name with anything unusual in it is quoted:
 * `mcpServers["a b"]`.
 */
export function formatPath(path: ConfigPath): string {
  return path
    .map((part, index) => {
      if (typeof part === "number") return `[${part}]`;
      if (!plainName.test(part)) return `[${JSON.stringify(part)}]`;
      return index === 0 ? part : `.${part}`;
    })
    .join("");
}

/** True if a value is an object of a configuration. */
export function isConfigMap(value: ConfigData | undefined): value is ConfigMap {
  return value instanceof Map;
}

/** The value at a path; `undefined` where there is none. */
export function dataAt(data: ConfigData | undefined, path: ConfigPath): ConfigData | undefined {
  let value = data;
  for (const part of path) {
    if (isConfigMap(value)) value = value.get(String(part));
    else if (Array.isArray(value)) value = (value as readonly ConfigData[])[Number(part)];
    else return undefined;
  }
  return value;
}

/** The kind of a value, for a message. Never the value, which may be a secret. */
export function nameOfData(value: ConfigData | undefined): string {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  if (isConfigMap(value)) return "an object";
  return `a ${typeof value}`;
}

/**
 * A value and where it stands, as every parser here returns it. Offsets are UTF-16 units into the
 * text.
 */
export interface ConfigNode {
  data: ConfigData;
  start: number;
  end: number;
  /** The offset of the name of a member. */
  name?: number | undefined;
  /** By name, or by index as a text. */
  children?: Map<string, ConfigNode> | undefined;
}

/** The result of a parser. */
export interface ParsedTree {
  readonly root: ConfigNode | undefined;
  /** Faults of a text that is read all the same. */
  readonly faults: readonly TextFault[];
}

/** Something wrong with a text, at an offset. */
export interface TextFault {
  readonly offset: number;
  readonly code: "invalid_syntax" | "duplicate_key" | "cyclic_alias" | "too_deep" | "too_many_entries" | "too_large";
  readonly message: string;
  readonly fix?: string | undefined;
}

/** Thrown for a text that is broken, or too much: nothing of it is read. */
export class BrokenTextError extends Error {
  readonly fault: TextFault;

  constructor(fault: TextFault) {
    super(fault.message);
    this.fault = fault;
  }
}

/** A text that nests more than is read. */
export function tooDeep(offset: number, { maxDepth }: ParseLimits): BrokenTextError {
  return new BrokenTextError({ offset, code: "too_deep", message: `is nested more than ${maxDepth} deep` });
}

/** A text with more in it than is read. */
export function tooMany(offset: number, { maxEntries }: ParseLimits): BrokenTextError {
  return new BrokenTextError({ offset, code: "too_many_entries", message: `has more than ${maxEntries} values` });
}

/** Limits of what is read of a text. */
export interface ParseLimits {
  /** UTF-16 units. */
  readonly maxLength: number;
  readonly maxDepth: number;
  /** Values, at all depths; what an alias stands for counts each time. */
  readonly maxEntries: number;
}
