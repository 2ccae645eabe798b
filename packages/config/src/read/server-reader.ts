import { quoteText, foldCase } from "@hostside/core/implement";
import {
  type ConfiguredServer,
  type DialectName,
  settingsId,
  type ConfigInput,
  type HostSettings,
} from "../drafts/configured-server.ts";
import {
  dataAt,
  formatPath,
  isConfigMap,
  nameOfData,
  type ConfigData,
  type ConfigMap,
  type ConfigPath,
} from "../parse/config-data.ts";
import {
  type ParsedConfig,
  createProblemList,
  type ProblemInit,
  type ProblemList,
  type ConfigFormat,
  type ConfigProblem,
} from "../parse/config-problem.ts";
import { ConfigEntry } from "./entry.ts";
import type { Syntax } from "../syntax/references.ts";

const mostServers = 1000;

/** Reads the servers of one file, and collects what it says besides. */
export interface ServerReader {
  readonly parsed: ParsedConfig;
  /** The whole, where it is an object. */
  readonly top: ConfigEntry | undefined;
  /** Servers in an object, by name, or in a list, each with its name in a member. */
  readAll(path: ConfigPath, place: ServerPlace, read: ReadServer): void;
  result(settings?: HostSettings): DialectResult;
}

/** Makes a draft of one entry; `undefined` where that is not possible, with a problem. */
export type ReadServer = (
  entry: ConfigEntry,
  id: string,
) => Pick<ConfiguredServer, "draft" | "places" | "variables" | "extras"> | undefined;

/** The scope and the names of the servers at a path. */
interface ServerPlace {
  readonly scope?: ConfiguredServer["scope"];
  /** Before each name, as part of the id. */
  readonly prefix?: string | undefined;
  /** The member with the name, where servers may be a list. */
  readonly nameKey?: string | undefined;
}

/** The common parts of all servers of a file. */
export interface ServerReaderInit {
  readonly dialect: DialectName;
  /** The paths of its inputs. */
  readonly inputsAt?: readonly ConfigPath[] | undefined;
  /** `true`: of two names that are equal after normalisation, only the first is used. */
  readonly refusesAlike?: boolean | undefined;
}

/** A reader for one file. */
export function createServerReader(
  parsed: ParsedConfig,
  { dialect, inputsAt = [], refusesAlike = false }: ServerReaderInit,
): ServerReader {
  const problems = createProblemList(parsed);
  const inputs = inputsAt.flatMap((path) => readInputs(parsed.data, path, problems));
  const servers: ConfiguredServer[] = [];
  // What one file says for several scopes is kept apart by them.
  const seenIds = new Map<ConfiguredServer["scope"], Map<string, NamedEntry>>();
  let seen = 0;

  const readOne = (named: NamedEntry, read: ReadServer, scope?: ConfiguredServer["scope"]): void => {
    const { id, path, data } = named;
    seen++;
    if (seen > mostServers) {
      const message = `is one server more than the ${mostServers} that are read of one file`;
      if (seen === mostServers + 1) problems.add({ path, severity: "error", code: "too_many_entries", message });
      return;
    }
    if (!isConfigMap(data)) {
      const message = `must be an object, and is ${nameOfData(data)}`;
      return problems.add({ path, severity: "error", code: "wrong_type", message, serverId: id });
    }
    const ids = seenIds.get(scope) ?? new Map<string, NamedEntry>();
    seenIds.set(scope, ids);
    const problem = idProblem(named, ids, refusesAlike);
    if (problem !== undefined) problems.add(problem);
    if (problem?.severity === "error") return;
    const built = read(new ConfigEntry(data, path, { problems, serverId: id }), id);
    if (built === undefined) return;
    const position = parsed.positionOf(path, "name");
    servers.push({ id, dialect, file: parsed.file, path, position, scope, ...built, inputs });
  };

  return {
    parsed,
    top: isConfigMap(parsed.data) ? new ConfigEntry(parsed.data, [], { problems }) : undefined,
    readAll(path, { scope, prefix = "", nameKey }, read) {
      const data = dataAt(parsed.data, path) ?? undefined;
      if (isConfigMap(data)) {
        for (const [name, entry] of data) {
          const at = [...path, name];
          readOne({ id: `${prefix}${name}`, path: at, namePath: at, data: entry }, read, scope);
        }
        return;
      }
      if (data === undefined) return;
      if (nameKey === undefined || !Array.isArray(data)) {
        const message = `must be an object, and is ${nameOfData(data)}`;
        return problems.add({ path, severity: "error", code: "wrong_type", message });
      }
      for (const [index, item] of (data as readonly ConfigData[]).entries()) {
        const name = isConfigMap(item) ? item.get(nameKey) : undefined;
        const at = [...path, index];
        if (typeof name === "string") readOne({ id: name, path: at, namePath: [...at, nameKey], data: item }, read);
        else if (isConfigMap(item)) {
          const message = `${nameKey} must be a text, and is ${nameOfData(name)}`;
          problems.add({ path: at, severity: "error", code: "missing_field", message });
        } else readOne({ id: String(index), path: at, namePath: at, data: item }, read);
      }
    },
    result: (settings = {}) => ({
      servers,
      settings: inputs.length === 0 ? settings : { ...settings, inputs },
      problems: problems.all,
    }),
  };
}

interface NamedEntry {
  readonly id: string;
  readonly path: ConfigPath;
  /** The path of the name. */
  readonly namePath: ConfigPath;
  readonly data: ConfigData;
}

const longestId = 128;

/**
 * The problem of an id that cannot be one, or cannot be told from those before it. An error costs
 * the server.
 */
function idProblem(named: NamedEntry, seen: Map<string, NamedEntry>, refusesAlike: boolean): ProblemInit | undefined {
  const { id, path, namePath } = named;
  const shown = quoteText(id, 80);
  const rule = ruleBroken(id);
  if (rule !== undefined) {
    const fix = `call it ${quoteText(suggestId(id), longestId)}`;
    return { path, severity: "error", code: "invalid_id", message: `${shown} ${rule}`, fix, of: "name" };
  }
  const other = seen.get(normalizeId(id));
  if (other === undefined) {
    seen.set(normalizeId(id), named);
    return undefined;
  }
  const place = formatPath(other.path);
  const isSame = other.id === id;
  const message = isSame
    ? `${shown} is the name of the server at ${place} already`
    : `${shown} and ${quoteText(other.id, 80)} at ${place} are the same after normalisation`;
  const severity = refusesAlike || isSame ? "error" : "warning";
  const fix = "give one of them another name";
  return { path: namePath, severity, code: "ids_alike", message, fix, of: "name", serverId: id };
}

function ruleBroken(id: string): string | undefined {
  if (id.trim() === "") return "is no name";
  if (id === settingsId) return "stands for the settings of a project";
  if (id.length > longestId) return `is longer than ${longestId} characters`;
  return /[\p{Cc}\p{Cf}\p{Cs}]/u.test(id) ? "has characters in it that nobody sees" : undefined;
}

function suggestId(id: string): string {
  const visible = id.replaceAll(/[\p{Cc}\p{Cf}\p{Cs}]/gu, "").trim();
  return visible.slice(0, longestId) || "server";
}

/**
 * An id as names of tools are made of it: ids that differ in nothing else give names that need a
 * suffix.
 */
export function normalizeId(id: string): string {
  return foldCase(id).replaceAll(/[^a-z0-9]/g, "_");
}

const inputTypes: ReadonlySet<string> = new Set(["promptString", "pickString", "command"]);
const mostInputs = 1000;

/** The inputs that a file defines at a path, in the shape of VS Code. */
function readInputs(data: ConfigData | undefined, path: ConfigPath, problems: ProblemList): readonly ConfigInput[] {
  const refuse = (at: ConfigPath, message: string): readonly ConfigInput[] => {
    problems.add({ path: at, severity: "error", code: "wrong_type", message });
    return [];
  };
  const list = dataAt(data, path) ?? undefined;
  if (list === undefined) return [];
  if (!Array.isArray(list)) return refuse(path, `must be a list, and is ${nameOfData(list)}`);
  return (list as readonly ConfigData[]).slice(0, mostInputs).flatMap((item, index) => {
    const at = [...path, index];
    const id = dataAt(item, ["id"]);
    const type = dataAt(item, ["type"]) ?? "promptString";
    if (!isConfigMap(item) || typeof id !== "string") return refuse(at, "must be an object with an id");
    if (typeof type !== "string" || !inputTypes.has(type)) return refuse([...at, "type"], "is no type of an input");
    return [readInput(item, id, type as ConfigInput["type"])];
  });
}

function readInput(item: ConfigMap, id: string, type: ConfigInput["type"]): ConfigInput {
  const text = (name: string): string | undefined => {
    const value = item.get(name);
    return typeof value === "string" ? value : undefined;
  };
  const options = item.get("options");
  return {
    id,
    type,
    description: text("description"),
    default: text("default"),
    ...(item.get("password") === true && { password: true }),
    ...(Array.isArray(options) && { options: options.filter((one) => typeof one === "string") }),
  };
}

/** The context of a file. */
export interface ReadContext {
  /**
   * The folder of the project, as the file has it: of a file with servers of many projects, its
   * servers are read, too.
   */
  readonly projectFolder?: string | undefined;
  /** The id of the extension whose file this is, which begins the names of its servers. */
  readonly extensionId?: string | undefined;
}

/** The content of a file. */
export interface DialectResult {
  /** In the order of the file. */
  readonly servers: readonly ConfiguredServer[];
  readonly settings: HostSettings;
  readonly problems: readonly ConfigProblem[];
}

/** One way of writing a configuration. */
export interface ConfigDialect {
  readonly name: DialectName;
  /** As people call the tool. */
  readonly title: string;
  /** The format of its files, where their names do not say it. */
  readonly format: ConfigFormat;
  readonly syntax: Syntax;
  /** Pure, and never throws. */
  read(parsed: ParsedConfig, context: ReadContext): DialectResult;
}
