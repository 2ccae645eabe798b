import { isConfigMap, nameOfData, type ConfigData, type ConfigMap, type ConfigPath } from "../parse/config-data.ts";
import type { ConfigProblemCode, ProblemInit, ProblemList } from "../parse/config-problem.ts";

/** The list of problems, the server that they are about, and the state of the entry around it. */
interface EntryContext {
  readonly problems: ProblemList;
  readonly serverId?: string | undefined;
  readonly state?: { failed: boolean };
}

type EntryFault = Pick<ProblemInit, "code" | "fix" | "message">;
type Report = (where: string | ConfigPath, problem: Omit<ProblemInit, "path" | "serverId">) => void;

/**
 * An object of a configuration while it is read: what has the wrong type is a problem at its place,
 * and reads as absent.
 */
export class ConfigEntry {
  readonly path: ConfigPath;
  readonly #data: ConfigMap;
  readonly #context: EntryContext;
  readonly #state: { failed: boolean };

  constructor(data: ConfigMap, path: ConfigPath, within: EntryContext) {
    this.#data = data;
    this.path = path;
    this.#context = within;
    this.#state = within.state ?? { failed: false };
  }

  get names(): readonly string[] {
    return [...this.#data.keys()];
  }

  get(name: string): ConfigData | undefined {
    return this.#data.get(name) ?? undefined;
  }

  /** True if something is there. `null` is nothing. */
  readonly has = (name: string): boolean => this.get(name) !== undefined;

  text(name: string): string | undefined {
    return this.#read(name, isText, "a text");
  }

  list(name: string): readonly ConfigData[] | undefined {
    return this.#read(name, isList, "a list");
  }

  texts(name: string): readonly string[] | undefined {
    const items = this.#read(name, isList, "a list of texts");
    return items?.filter((item, index) => keepText(item, [name, index], this.#report));
  }

  textMap(name: string): ReadonlyMap<string, string> | undefined {
    const values = this.#read(name, isConfigMap, "an object of texts");
    if (values === undefined) return undefined;
    // `null` is nothing, here as everywhere.
    const there = [...values].filter(([, value]) => value !== null);
    return new Map(there.filter((pair): pair is [string, string] => keepText(pair[1], [name, pair[0]], this.#report)));
  }

  flag(name: string): boolean | undefined {
    return this.#read(name, isFlag, "true or false");
  }

  /** Without it a server can still be used, so that a wrong one is a warning. */
  number(name: string): number | undefined {
    return this.#read(name, isNumber, "a number");
  }

  entry(name: string): ConfigEntry | undefined {
    const value = this.#read(name, isConfigMap, "an object");
    return value && new ConfigEntry(value, [...this.path, name], { ...this.#context, state: this.#state });
  }

  /** The place of a member, or of what is in it. */
  at(name: string, ...inner: ConfigPath): ConfigPath {
    return [...this.path, name, ...inner];
  }

  /**
   * An error costs the server. `name` is the member that it is about, or the way to it; `""` for
   * the entry itself.
   */
  error(name: string | ConfigPath, finding: EntryFault): void {
    this.#report(name, { severity: "error", ...finding, of: nameOrValue(finding.code) });
  }

  warn(name: string | ConfigPath, finding: EntryFault): void {
    this.#report(name, { severity: "warning", ...finding, of: nameOrValue(finding.code) });
  }

  /** True if there was an error here or below. */
  failed(): boolean {
    return this.#state.failed;
  }

  readonly #report: Report = (where, problem) => {
    if (problem.severity === "error") this.#state.failed = true;
    const { problems, serverId } = this.#context;
    problems.add({ ...problem, path: where === "" ? this.path : [...this.path, where].flat(), serverId });
  };

  #read<T extends ConfigData>(name: string, is: (value: ConfigData) => value is T, wanted: string): T | undefined {
    const value = this.get(name);
    if (value === undefined || is(value)) return value;
    this.#report(name, wrongType(wanted, value, wanted === "a number" ? "warning" : "error"));
    return undefined;
  }
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

const isText = (value: ConfigData): value is string => typeof value === "string";
const isFlag = (value: ConfigData): value is boolean => typeof value === "boolean";
const isNumber = (value: ConfigData): value is number => typeof value === "number";
const isList = (value: ConfigData): value is readonly ConfigData[] => Array.isArray(value);
