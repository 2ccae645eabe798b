import type { DialectName } from "../drafts/configured-server.ts";
import {
  detectByData,
  detectDialect,
  dialectOfPath,
  findMisplaced,
  hasRootOf,
  rootsInWords,
} from "./detect-dialect.ts";
import { configDialectOf } from "./all-dialects.ts";
import type { ConfigDialect, DialectResult, ReadContext } from "../read/server-reader.ts";
import { isConfigMap, nameOfData } from "../parse/config-data.ts";
import { type ConfigFormat, type ParsedConfig, createProblemList, type ProblemInit } from "../parse/config-problem.ts";

/** Options of a reading. */
export interface ReadConfigOptions extends ReadContext {
  /** The path of the file: for problems, and to find out the dialect. Nothing is read from it. */
  readonly file?: string | undefined;
  /** Default: found out, by the path and by what is in the file. */
  readonly dialect?: DialectName | undefined;
  /** Default: by the name of the file, else as the dialect has it, else JSON. */
  readonly format?: ConfigFormat | undefined;
}

/** The content of one configuration. References are not expanded. */
export interface ConfigResult extends DialectResult {
  /** Absent where it is none that is known. */
  readonly dialect?: DialectName | undefined;
}

/** Does what `readConfig()` does, with what was parsed. */
export function readParsed(parsed: ParsedConfig, options: ReadConfigOptions): ConfigResult {
  const name = options.dialect ?? detectDialect(options.file, parsed.data);
  const problems = createProblemList(parsed);
  const unread = (problem?: ProblemInit): ConfigResult => {
    if (problem !== undefined) problems.add(problem);
    return { dialect: name, servers: [], settings: {}, problems: [...parsed.problems, ...problems.all] };
  };
  if (parsed.data === undefined) return unread();
  if (name === undefined) {
    const message = "has no servers in any form that is known";
    const fix = 'put them under "mcpServers", or name the dialect';
    return unread({ path: [], severity: "error", code: "unknown_dialect", message, fix });
  }
  const isNothing = parsed.data === null && parsed.format === "yaml";
  const isList = Array.isArray(parsed.data) && name === "anda";
  if (!isConfigMap(parsed.data) && !isList && !isNothing) {
    const message = `must be an object, and is ${nameOfData(parsed.data)}`;
    return unread({ path: [], severity: "error", code: "wrong_type", message });
  }
  const dialect = configDialectOf(name);
  const expected = options.dialect === undefined ? dialectOfPath(options.file) : undefined;
  if (expected !== undefined && expected !== name) {
    const message = `${configDialectOf(expected).title} does not read this file: it is written like one of ${dialect.title}`;
    const fix = `put its servers under ${rootsInWords(expected)}`;
    problems.add({ path: [], severity: "warning", code: "other_dialect", message, fix });
  }
  if (!hasRootOf(name, parsed.data)) reportNoServers(parsed, dialect, problems.add);
  const result = dialect.read(parsed, options);
  return { dialect: name, ...result, problems: [...parsed.problems, ...problems.all, ...result.problems] };
}

// Most files of a tool have other things in them as well, so that no servers are nothing to speak
// of, unless somebody meant some.
function reportNoServers(parsed: ParsedConfig, { name, title }: ConfigDialect, add: AddProblem): void {
  const other = detectByData(parsed.data);
  if (other !== undefined && other !== name) {
    const message = `is no file of ${title}: it looks like one of ${configDialectOf(other).title}`;
    const fix = `read it as ${JSON.stringify(other)}`;
    return add({ path: [], severity: "error", code: "other_dialect", message, fix });
  }
  const misplaced = findMisplaced(parsed.data);
  // It knows each name at the top, and says so itself.
  if (misplaced === undefined || name === "hostside") return;
  const { path, isEntry } = misplaced;
  const message = `${title} has its servers under ${rootsInWords(name)}, and not here`;
  const fix = `${isEntry ? "put it under" : "write"} ${rootsInWords(name)}`;
  add({ path, severity: "error", code: "unknown_key", message, fix, of: "name" });
}

type AddProblem = ReturnType<typeof createProblemList>["add"];

/** The format of a text. */
export function formatOf({ file, dialect, format }: ReadConfigOptions): ConfigFormat {
  return format ?? formatOfFile(file) ?? (dialect && configDialectOf(dialect).format) ?? "json";
}

function formatOfFile(file: string | undefined): ConfigFormat | undefined {
  const [, extension = ""] = /\.(jsonc?|ya?ml|toml)$/i.exec(file ?? "") ?? [];
  const word = extension.toLowerCase();
  return word === "" ? undefined : word.startsWith("j") ? "json" : word === "toml" ? "toml" : "yaml";
}
