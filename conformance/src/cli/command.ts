import { parseArgs } from "node:util";
import { differByOneSlip } from "@hostside/core/implement";

/** What the user asked for. */
export type Command =
  | { readonly kind: "help" }
  | { readonly kind: "version" }
  /** The checks of `server` or `host`; all, without either. */
  | { readonly kind: "list"; readonly verb: string | undefined }
  | { readonly kind: "explain"; readonly checkId: string }
  | ServerCommandLine
  | HostCommandLine
  | CompareCommandLine
  /** A mistake in the command line, told in one line. */
  | { readonly kind: "mistake"; readonly message: string };

/** `server`: check a server. */
export interface ServerCommandLine extends RunArguments {
  readonly kind: "server";
  readonly target: TargetArguments;
  /** Tools that may be called, as `name` or `name={"json":"arguments"}`. */
  readonly calls: readonly string[];
  readonly allowCalls: boolean;
  readonly preview: boolean;
}

/**
 * `compare`: what became better and worse between two runs, from the reports that `--json` wrote.
 */
export interface CompareCommandLine {
  readonly kind: "compare";
  readonly before: string;
  readonly after: string;
  /** New advice fails, too. */
  readonly strict: boolean;
}

/** `host`: check a host through its driver. */
export interface HostCommandLine extends RunArguments {
  readonly kind: "host";
  readonly driver: readonly string[];
  readonly level: string | undefined;
}

/** What every run has. */
export interface RunArguments {
  readonly only: readonly string[];
  readonly skip: readonly string[];
  readonly seed: number | undefined;
  readonly strict: boolean;
  readonly baseline: string | undefined;
  /** Report files by format. */
  readonly reports: ReadonlyMap<ReportFormat, string>;
}

/** Formats that can be written to a file. */
export type ReportFormat = "json" | "junit" | "sarif" | "html" | "markdown" | "badge";

/** Where a server is, as given. */
export interface TargetArguments extends Pick<Values, (typeof ofTargets)[number]> {
  readonly command: readonly string[];
}

const formats: readonly ReportFormat[] = ["json", "junit", "sarif", "html", "markdown", "badge"];

const options = {
  help: { type: "boolean", short: "h" },
  version: { type: "boolean" },
  list: { type: "boolean" },
  explain: { type: "string" },
  url: { type: "string" },
  sse: { type: "string" },
  config: { type: "string" },
  server: { type: "string" },
  header: { type: "string", multiple: true },
  "token-env": { type: "string" },
  oauth: { type: "boolean" },
  "oauth-client": { type: "string" },
  "oauth-secret-env": { type: "string" },
  "oauth-scope": { type: "string", multiple: true },
  call: { type: "string", multiple: true },
  "allow-calls": { type: "boolean" },
  only: { type: "string", multiple: true },
  skip: { type: "string", multiple: true },
  seed: { type: "string" },
  strict: { type: "boolean" },
  baseline: { type: "string" },
  level: { type: "string" },
  json: { type: "string" },
  junit: { type: "string" },
  sarif: { type: "string" },
  html: { type: "string" },
  markdown: { type: "string" },
  badge: { type: "string" },
  "start-timeout": { type: "string" },
  "no-preview": { type: "boolean" },
} as const;

type Option = keyof typeof options;

const ofTargets = [
  "url",
  "sse",
  "config",
  "server",
  "header",
  "token-env",
  "start-timeout",
  "oauth",
  "oauth-client",
  "oauth-secret-env",
  "oauth-scope",
] as const;
const ofRuns: readonly Option[] = ["only", "skip", "seed", "strict", "baseline", ...formats];

/** Which options each command takes: one that would do nothing is a mistake. */
const taken: ReadonlyMap<string, readonly Option[]> = new Map([
  ["server", [...ofTargets, ...ofRuns, "call", "allow-calls", "no-preview"]],
  ["host", [...ofRuns, "level"]],
  ["compare", ["strict"]],
]);

type Values = ReturnType<typeof parseArgs<{ options: typeof options }>>["values"];

/** Reads a command line. Everything after `--` is the program under test. Never throws. */
export function parseCommand(argv: readonly string[]): Command {
  const end = argv.indexOf("--");
  const own = end === -1 ? argv : argv.slice(0, end);
  const program = end === -1 ? [] : argv.slice(end + 1);
  const unknown = unknownOption(own, options);
  if (unknown !== undefined) return mistake(unknown);
  try {
    const { values, positionals } = parseArgs({ args: [...own], options, allowPositionals: true });
    return toCommand(values, positionals, program);
  } catch (error) {
    // parseArgs tells which value is missing, or is one too many.
    return { kind: "mistake", message: error instanceof Error ? error.message : String(error) };
  }
}

function toCommand(values: Values, positionals: readonly string[], program: readonly string[]): Command {
  if (values.help) return { kind: "help" };
  if (values.version) return { kind: "version" };
  const [verb, ...rest] = positionals;
  if (values.list) return { kind: "list", verb };
  if (values.explain !== undefined) return { kind: "explain", checkId: values.explain };
  if (verb === undefined) return { kind: "help" };
  const idle = idleOption(values, verb);
  if (idle !== undefined) return mistake(idle);
  if (verb === "compare") return toCompare(values, [...rest, ...program]);
  if (rest[0] !== undefined) {
    const advice = /^https?:/i.test(rest[0]) ? "a URL is that of --url" : "put the program after --";
    return mistake(`unexpected ${JSON.stringify(rest[0])}; ${advice}`);
  }
  const run = runArguments(values);
  if (typeof run === "string") return mistake(run);
  const target: TargetArguments = { ...values, command: program };
  switch (verb) {
    case "server":
      return withTarget(target, {
        kind: "server",
        target,
        calls: values.call ?? [],
        allowCalls: values["allow-calls"] ?? false,
        preview: values["no-preview"] !== true,
        ...run,
      });
    case "host":
      return program.length === 0
        ? mistake("host needs a driver: host -- ./my-driver")
        : { kind: "host", driver: program, level: values.level, ...run };
    default:
      return mistake(`unknown command ${JSON.stringify(verb)}; there are server, host and compare`);
  }
}

/**
 * What is wrong with an option that the command does not take, or that does nothing without
 * another.
 */
function idleOption(values: Values, verb: string): string | undefined {
  const known = taken.get(verb);
  if (known === undefined) return undefined;
  for (const option of Object.keys(values) as Option[]) {
    if (known.includes(option)) continue;
    const takers = Array.from(taken).flatMap(([name, its]) => (its.includes(option) ? [name] : []));
    return `--${option} is for ${takers.join(" and ")}, not for ${verb}`;
  }
  if (values.server !== undefined && values.config === undefined)
    return "--server names one of the servers of --config";
  return undefined;
}

function toCompare({ strict = false }: Values, [before, after, ...more]: readonly string[]): Command {
  if (before === undefined || after === undefined || more.length > 0) {
    return mistake("compare needs two reports that --json wrote: compare before.json after.json");
  }
  return { kind: "compare", before, after, strict };
}

function withTarget(target: TargetArguments, parsed: Command): Command {
  const { command, url, sse, config } = target;
  const wrong = targetMistake(target);
  if (wrong !== undefined) return mistake(wrong);
  const given = [command.length > 0, url !== undefined, sse !== undefined, config !== undefined].filter(Boolean).length;
  if (given === 0)
    return mistake("no server given: use -- node my-server.js, --url URL, --sse URL, or --config FILE --server NAME");
  return given > 1 ? mistake("give one of: a program after --, --url, --sse, --config") : parsed;
}

function runArguments(values: Values): RunArguments | string {
  const { seed } = values;
  if (seed !== undefined && !/^\d{1,10}$/.test(seed))
    return `--seed must be a whole number, not ${JSON.stringify(seed)}`;
  return {
    only: values.only ?? [],
    skip: values.skip ?? [],
    seed: seed === undefined ? undefined : Number(seed),
    strict: values.strict ?? false,
    baseline: values.baseline,
    reports: new Map(
      formats.flatMap((format) => (values[format] === undefined ? [] : [[format, values[format]] as const])),
    ),
  };
}

/** Whether a user, or a program, has to sign in. */
export function wantsOAuth(target: TargetArguments): boolean {
  return ofTargets.some((option) => option.startsWith("oauth") && target[option] !== undefined);
}

function targetMistake(target: TargetArguments): string | undefined {
  const { command, header, "start-timeout": timeout, "token-env": tokenEnv } = target;
  if (timeout !== undefined && !(Number(timeout) > 0)) return "--start-timeout must be a number of seconds above 0";
  const isOAuth = wantsOAuth(target);
  if (command.length > 0 && (header !== undefined || tokenEnv !== undefined || isOAuth))
    return "--header, --token-env and --oauth are for servers at a URL; a program gets credentials from its environment";
  if (target["oauth-secret-env"] !== undefined && target["oauth-client"] === undefined)
    return "--oauth-secret-env is the secret of a client: name it with --oauth-client";
  return isOAuth && tokenEnv !== undefined ? "give either --token-env or --oauth" : undefined;
}

/** How long the first answer of a server may take, as given. */
export function startTime({ "start-timeout": seconds }: TargetArguments): { readonly startMs?: number } {
  return seconds === undefined ? {} : { startMs: Number(seconds) * 1000 };
}

function mistake(message: string): Command {
  return { kind: "mistake", message };
}

/**
 * What is wrong with the first option that is none of these, in one line; `undefined` when there is
 * no such option.
 */
function unknownOption(argv: readonly string[], known: NonNullable<ParseConfig["options"]>): string | undefined {
  const { tokens } = parseArgs({
    args: [...argv],
    options: known,
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const unknown = tokens.find((token) => token.kind === "option" && !Object.hasOwn(known, token.name));
  if (unknown?.kind !== "option") return undefined;
  const { name, rawName } = unknown;
  const isNear = (one: string): boolean => differByOneSlip(name, one) || one.startsWith(name) || name.startsWith(one);
  const near = Object.keys(known).filter(isNear).slice(0, 3);
  return `there is no option ${rawName}${near.length === 0 ? "" : `; like it is --${near.join(" or --")}`}`;
}

type ParseConfig = NonNullable<Parameters<typeof parseArgs>[0]>;
