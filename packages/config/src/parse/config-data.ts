/**
 * What a configuration says, whatever it was written in. Members are in a `Map`, in the order of
 * the file: names such as `__proto__` and `10` are names like any other.
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

/** Whether a value is an object of a configuration. */
export function isConfigMap(value: ConfigData | undefined): value is ConfigMap {
  return value instanceof Map;
}

/** What is at a path; `undefined` where there is nothing. */
export function dataAt(data: ConfigData | undefined, path: ConfigPath): ConfigData | undefined {
  let value = data;
  for (const part of path) {
    if (isConfigMap(value)) value = value.get(String(part));
    else if (Array.isArray(value)) value = (value as readonly ConfigData[])[Number(part)];
    else return undefined;
  }
  return value;
}

/** What a value is, in words for a message. Never the value, which may be a secret. */
export function nameOfData(value: ConfigData | undefined): string {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  if (isConfigMap(value)) return "an object";
  return `a ${typeof value}`;
}
