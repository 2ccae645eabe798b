import { isConfigMap, nameOfData, type ConfigData, type ConfigMap, type ConfigPath } from "../parse/config-data.ts";
import type { ConfigProblemCode } from "../parse/config-problem.ts";
import type { ProblemInit, ProblemList } from "../parse/problem-list.ts";

/**
 * An object of a configuration while it is read: what has the wrong type is a problem at its place,
 * and reads as absent.
 */
export interface ConfigEntry {
  readonly path: ConfigPath;
  readonly names: readonly string[];
  /** True if something is there. `null` is nothing. */
  readonly has: (name: string) => boolean;
  get(name: string): ConfigData | undefined;
  text(name: string): string | undefined;
  texts(name: string): readonly string[] | undefined;
  textMap(name: string): ReadonlyMap<string, string> | undefined;
  flag(name: string): boolean | undefined;
  /** Without it a server can still be used, so that a wrong one is a warning. */
  number(name: string): number | undefined;
  entry(name: string): ConfigEntry | undefined;
  /** The place of a member, or of what is in it. */
  at(name: string, ...inner: ConfigPath): ConfigPath;
  /**
   * An error costs the server. `name` is the member that it is about, or the way to it; `""` for
   * the entry itself.
   */
  error(name: string | ConfigPath, finding: EntryFault): void;
  warn(name: string, finding: EntryFault): void;
  /** True if there was an error here or below. */
  failed(): boolean;
}

/** A problem of a member. */
export interface EntryFault {
  readonly code: ConfigProblemCode;
  readonly message: string;
  readonly fix?: string | undefined;
}

/** The list of problems, and the server that they belong to. */
export interface EntryContext {
  readonly problems: ProblemList;
  readonly serverId?: string | undefined;
}

/** Reads an object. */
export function createEntry(data: ConfigMap, path: ConfigPath, context: EntryContext): ConfigEntry {
  const state = { failed: false };
  return entryOf({ data, path, context, state });
}

interface Reading {
  readonly data: ConfigMap;
  readonly path: ConfigPath;
  readonly context: EntryContext;
  readonly state: { failed: boolean };
}

type Report = (where: string | ConfigPath, problem: Omit<ProblemInit, "path" | "serverId">) => void;

function entryOf(reading: Reading): ConfigEntry {
  const { data, path, context, state } = reading;
  const get = (name: string): ConfigData | undefined => data.get(name) ?? undefined;
  const report: Report = (where, problem) => {
    if (problem.severity === "error") state.failed = true;
    const at = typeof where === "string" ? (where === "" ? path : [...path, where]) : [...path, ...where];
    context.problems.add({ ...problem, path: at, serverId: context.serverId });
  };
  const read = <T extends ConfigData>(name: string, is: (value: ConfigData) => value is T, wanted: string) => {
    const value = get(name);
    if (value === undefined || is(value)) return value;
    report(name, wrongType(wanted, value, wanted === "a number" ? "warning" : "error"));
    return undefined;
  };
  const entry = (name: string): ConfigEntry | undefined => {
    const value = read(name, isConfigMap, "an object");
    return value === undefined ? undefined : entryOf({ ...reading, data: value, path: [...path, name] });
  };
  return {
    path,
    names: [...data.keys()],
    get,
    has: (name) => get(name) !== undefined,
    at: (name, ...inner) => [...path, name, ...inner],
    text: (name) => read(name, isText, "a text"),
    flag: (name) => read(name, isFlag, "true or false"),
    number: (name) => read(name, isNumber, "a number"),
    texts: (name) =>
      read(name, isList, "a list of texts")?.filter((item, index) => keepText(item, [name, index], report)),
    textMap(name) {
      const values = read(name, isConfigMap, "an object of texts");
      if (values === undefined) return undefined;
      // `null` is nothing, here as everywhere.
      const there = [...values].filter(([, value]) => value !== null);
      return new Map(there.filter((pair): pair is [string, string] => keepText(pair[1], [name, pair[0]], report)));
    },
    entry,
    error: (name, finding) => report(name, { severity: "error", ...finding, of: nameOrValue(finding.code) }),
    warn: (name, finding) => report(name, { severity: "warning", ...finding, of: nameOrValue(finding.code) }),
    failed: () => state.failed,
  };
}

function keepText(value: ConfigData, where: ConfigPath, report: Report): value is string {
  if (typeof value === "string") return true;
  const written = typeof value === "number" || typeof value === "boolean";
  report(where, { ...wrongType("a text", value, "error"), ...(written ? { fix: "put it in quotation marks" } : {}) });
  return false;
}

function wrongType(wanted: string, value: ConfigData, severity: "error" | "warning") {
  return { severity, code: "wrong_type", message: `must be ${wanted}, and is ${nameOfData(value)}` } as const;
}

// It is the name that nobody knows.
function nameOrValue(code: ConfigProblemCode): "name" | "value" {
  return code === "unknown_key" || code === "unsupported" ? "name" : "value";
}

function isText(value: ConfigData): value is string {
  return typeof value === "string";
}

function isFlag(value: ConfigData): value is boolean {
  return typeof value === "boolean";
}

function isNumber(value: ConfigData): value is number {
  return typeof value === "number";
}

function isList(value: ConfigData): value is readonly ConfigData[] {
  return Array.isArray(value);
}
