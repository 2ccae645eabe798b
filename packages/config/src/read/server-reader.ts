import { quoteText, foldCase } from "@hostside/core/implement";
import type { ConfiguredServer, DialectName } from "../drafts/configured-server.ts";
import { settingsId, type ConfigInput, type HostSettings } from "../drafts/host-settings.ts";
import { dataAt, formatPath, isConfigMap, nameOfData, type ConfigData, type ConfigPath } from "../parse/config-data.ts";
import type { ParsedConfig } from "../parse/parsed-config.ts";
import { createProblemList, type ProblemList } from "../parse/problem-list.ts";
import type { DialectResult } from "./dialect.ts";
import { createEntry, type ConfigEntry } from "./entry.ts";

const mostServers = 1000;

/** Reads the servers of one file, and collects what it says besides. */
export interface ServerReader {
  readonly parsed: ParsedConfig;
  readonly problems: ProblemList;
  /** What is at a path, as an entry; a problem where it is something else than an object. */
  entryAt(path: ConfigPath): ConfigEntry | undefined;
  /** What is at a path, as a list; a problem where it is something else. */
  listAt(path: ConfigPath): readonly ConfigData[] | undefined;
  /** Servers in an object, by name. */
  readMap(path: ConfigPath, read: ReadServer, place?: ServerPlace): void;
  /** Servers in a list, each with its name in a member. */
  readList(path: ConfigPath, nameKey: string, read: ReadServer): void;
  result(settings?: HostSettings): DialectResult;
}

/** Makes a draft of one entry; `undefined` where that is not possible, with a problem. */
export type ReadServer = (
  entry: ConfigEntry,
  id: string,
) => Pick<ConfiguredServer, "draft" | "places" | "variables" | "extras"> | undefined;

/** What is known of servers from where they are. */
export interface ServerPlace {
  readonly scope?: ConfiguredServer["scope"];
  /** Before each name, as part of the id. */
  readonly prefix?: string | undefined;
}

/** What all servers of a file have in common. */
export interface ServerReaderInit {
  readonly dialect: DialectName;
  readonly inputs?: readonly ConfigInput[] | undefined;
  readonly ids?: IdRules | undefined;
  /** As in `EntryContext`. */
  readonly flat?: boolean | undefined;
}

/** A reader for one file. */
export function createServerReader(
  parsed: ParsedConfig,
  { dialect, inputs = [], ids, flat }: ServerReaderInit,
): ServerReader {
  const problems = createProblemList(parsed);
  const servers: ConfiguredServer[] = [];
  // What one file says for several scopes is kept apart by them.
  const idChecks = new Map<ConfiguredServer["scope"], ReturnType<typeof createIdCheck>>();
  let seen = 0;

  const readOne = (named: NamedEntry, read: ReadServer, scope?: ConfiguredServer["scope"]): void => {
    const { id, path, data } = named;
    seen++;
    if (seen > mostServers) {
      if (seen === mostServers + 1) problems.add(tooManyServers(path));
      return;
    }
    if (!parsed.isWhole(path)) return problems.add(incomplete(id, path));
    if (!isConfigMap(data)) {
      const message = `must be an object, and is ${nameOfData(data)}`;
      return problems.add({ path, severity: "error", code: "wrong_type", message, serverId: id });
    }
    const checkId = idChecks.get(scope) ?? createIdCheck(problems, ids);
    idChecks.set(scope, checkId);
    if (!checkId({ id, path, namePath: named.namePath })) return;
    const built = read(createEntry(data, path, { problems, serverId: id, flat }), id);
    if (built === undefined) return;
    const position = parsed.positionOf(path, "name");
    servers.push({
      id,
      dialect,
      ...(parsed.file === undefined ? {} : { file: parsed.file }),
      path,
      ...(position === undefined ? {} : { position }),
      ...(scope === undefined ? {} : { scope }),
      ...built,
      inputs,
    });
  };

  const containerAt = (path: ConfigPath, wanted: "an object" | "a list"): ConfigData | undefined => {
    const data = dataAt(parsed.data, path) ?? undefined;
    if (data === undefined || (wanted === "a list" ? Array.isArray(data) : isConfigMap(data))) return data;
    const message = `must be ${wanted}, and is ${nameOfData(data)}`;
    problems.add({ path, severity: "error", code: "wrong_type", message });
    return undefined;
  };

  return {
    parsed,
    problems,
    entryAt(path) {
      const data = containerAt(path, "an object");
      return isConfigMap(data) ? createEntry(data, path, { problems }) : undefined;
    },
    listAt: (path) => containerAt(path, "a list") as readonly ConfigData[] | undefined,
    readMap(path, read, { scope, prefix = "" } = {}) {
      const data = containerAt(path, "an object");
      if (!isConfigMap(data)) return;
      for (const [name, entry] of data) {
        readOne({ id: `${prefix}${name}`, path: [...path, name], namePath: [...path, name], data: entry }, read, scope);
      }
    },
    readList(path, nameKey, read) {
      const data = containerAt(path, "a list");
      if (!Array.isArray(data)) return;
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
    result: (settings = {}) => ({ servers, settings, problems: problems.all }),
  };
}

interface NamedEntry {
  readonly id: string;
  readonly path: ConfigPath;
  /** Where the name stands. */
  readonly namePath: ConfigPath;
  readonly data: ConfigData;
}

function tooManyServers(path: ConfigPath) {
  const message = `is one server more than the ${mostServers} that are read of one file`;
  return { path, severity: "error", code: "too_many_entries", message } as const;
}

function incomplete(id: string, path: ConfigPath) {
  const message = `${quoteText(id, 80)} is not read, because the text is broken inside of ${formatPath(path)}`;
  return { path, severity: "error", code: "incomplete_entry", message, of: "name", serverId: id } as const;
}

const longestId = 128;

/** What a dialect says of names of servers. */
export interface IdRules {
  /**
   * `"refused"`: of two names that are equal after normalisation, only the first is used. Default:
   * a warning.
   */
  readonly alike?: "refused" | undefined;
}

/** The id of a server, and where it is written. */
export interface PlacedId {
  readonly id: string;
  readonly path: ConfigPath;
  readonly namePath: ConfigPath;
}

/**
 * A check of the ids of one file: whether each can be one, and whether it can be told from those
 * before it.
 */
function createIdCheck(problems: ProblemList, { alike }: IdRules = {}): (placed: PlacedId) => boolean {
  const seen = new Map<string, PlacedId>();
  return (placed) => {
    const { id, path, namePath } = placed;
    const rule = ruleBroken(id);
    if (rule !== undefined) {
      const fix = `call it ${quoteText(suggestId(id), longestId)}`;
      problems.add({
        path,
        severity: "error",
        code: "invalid_id",
        message: `${quoteText(id, 80)} ${rule}`,
        fix,
        of: "name",
      });
      return false;
    }
    const normal = normalizeId(id);
    const other = seen.get(normal);
    if (other === undefined) {
      seen.set(normal, placed);
      return true;
    }
    const refused = alike === "refused" || other.id === id;
    const message =
      other.id === id
        ? `${quoteText(id, 80)} is the name of the server at ${formatPath(other.path)} already`
        : `${quoteText(id, 80)} and ${quoteText(other.id, 80)} at ${formatPath(other.path)} are the same after normalisation`;
    const severity = refused ? "error" : "warning";
    const fix = "give one of them another name";
    problems.add({ path: namePath, severity, code: "ids_alike", message, fix, of: "name", serverId: id });
    return !refused;
  };
}

function ruleBroken(id: string): string | undefined {
  if (id.trim() === "") return "is no name";
  if (id === settingsId) return "stands for the settings of a project";
  if (id.length > longestId) return `is longer than ${longestId} characters`;
  return /[\p{Cc}\p{Cf}\p{Cs}]/u.test(id) ? "has characters in it that nobody sees" : undefined;
}

function suggestId(id: string): string {
  const visible = id
    .replaceAll(/[\p{Cc}\p{Cf}\p{Cs}]/gu, "")
    .trim()
    .slice(0, longestId);
  return visible === "" ? "server" : visible;
}

/**
 * An id as names of tools are made of it: ids that differ in nothing else give names that need a
 * suffix.
 */
export function normalizeId(id: string): string {
  return foldCase(id).replaceAll(/[^a-z0-9]/g, "_");
}

const allowedKeys = ["allowedMcpServers", "allowed"];
const deniedKeys = ["deniedMcpServers", "disabledMcpjsonServers", "excluded"];

/** The lists of servers that may be used and that may not, of names or of objects with a name. */
export function readServerLists(reader: ServerReader, path: ConfigPath): HostSettings {
  const allowed = namesAt(reader, path, allowedKeys);
  const denied = namesAt(reader, path, deniedKeys);
  return {
    ...(allowed === undefined ? {} : { allowServers: allowed }),
    ...(denied === undefined ? {} : { denyServers: denied }),
  };
}

function namesAt(reader: ServerReader, path: ConfigPath, keys: readonly string[]): readonly string[] | undefined {
  const lists = keys.map((key) => ({ key, list: reader.listAt([...path, key]) }));
  if (lists.every(({ list }) => list === undefined)) return undefined;
  return lists.flatMap(({ key, list = [] }) =>
    list.flatMap((item, index) => {
      const name = nameOf(item);
      if (name !== undefined) return [name];
      const at = [...path, key, index];
      reader.problems.add({ path: at, severity: "warning", code: "unsupported", message: "names no server" });
      return [];
    }),
  );
}

function nameOf(item: ConfigData): string | undefined {
  if (typeof item === "string") return item;
  const name = dataAt(item, ["serverName"]) ?? dataAt(item, ["name"]);
  return typeof name === "string" ? name : undefined;
}
