import { isPlainObject } from "@hostside/core/implement";
import { parseConfig } from "../parse/parse-config.ts";
import { type ParsedConfig, createProblemList } from "../parse/config-problem.ts";
import { formatOf, readParsed, type ConfigResult, type ReadConfigOptions } from "./read-parsed.ts";

/**
 * Reads one configuration: a text, or a plain object that a product has. An error in it is a
 * problem with its place, and never thrown. An unknown dialect is a `TypeError`.
 *
 * @example
 * const { servers, problems } = readConfig(text, { file: ".cursor/mcp.json" });
 */
export function readConfig(config: string | object, options: ReadConfigOptions = {}): ConfigResult {
  const { file } = options;
  const isText = typeof config === "string";
  return readParsed(
    isText ? parseConfig(config, { file, format: formatOf(options) }) : fromData(config, file),
    options,
  );
}

/**
 * A configuration that a product has as a value that can be JSON. Nothing has a line or a column.
 */
function fromData(value: object, file?: string): ParsedConfig {
  const places = { file, positionOf: () => undefined };
  const text = writeJson(value);
  if (text === undefined) {
    const problems = createProblemList(places);
    problems.add({ path: [], severity: "error", code: "wrong_type", message: "cannot be written as JSON" });
    return { ...places, format: "data", data: undefined, problems: problems.all };
  }
  const parsed = parseConfig(text, { format: "json", file });
  const problems = parsed.problems.map(({ line: _line, column: _column, ...problem }) => problem);
  return { ...parsed, ...places, format: "data", problems };
}

// `undefined`: it has something in it that JSON does not have, refers to itself, or throws.
function writeJson(value: object): string | undefined {
  try {
    return JSON.stringify(value, (_name, member: unknown) => {
      if (!isData(member)) throw new TypeError("this is no data");
      return member;
    });
  } catch {
    return undefined;
  }
}

function isData(value: unknown): boolean {
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value === "object" && value !== null) return Array.isArray(value) || isPlainObject(value);
  return typeof value !== "function" && typeof value !== "symbol";
}
