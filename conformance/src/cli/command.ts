import { parseArgs } from "node:util";
import { differByOneSlip } from "@hostside/core/implement";

/** What the user asked for. */
export type Command =
  | { readonly kind: "help" | "version" }
  /** The checks of `server` or `host`; all, without either. */
  | { readonly kind: "list"; readonly verb: string | undefined }
  | { readonly kind: "explain"; readonly checkId: string }
  | RunCommandLine
  /** Two reports that `--json` wrote. `strict`: new advice fails, too. */
  | { readonly kind: "compare"; readonly before: string; readonly after: string; readonly strict: boolean }
  /** A mistake in the command line, told in one line. */
  | { readonly kind: "mistake"; readonly message: string };

/** `server` and `host`: check a server, or a host through its driver. */
export interface RunCommandLine {
  readonly kind: "server" | "host";
  readonly values: OptionValues;
  /** The server, or the driver. */
  readonly program: readonly string[];
}

/** Formats that can be written to a file. */
export const formats = ["json", "junit", "sarif", "html", "markdown", "badge"] as const;

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

/** The options of a command line, as given. */
export type OptionValues = ReturnType<typeof parseArgs<{ options: typeof options }>>["values"];

/** Reads a command line. Everything after `--` is the program under test. Never throws. */
export function parseCommand(argv: readonly string[]): Command {
  const end = argv.indexOf("--");
  const own = end === -1 ? argv : argv.slice(0, end);
  const program = end === -1 ? [] : argv.slice(end + 1);
  const unknown = unknownOption(own);
  if (unknown !== undefined) return mistake(unknown);
  try {
    const { values, positionals } = parseArgs({ args: [...own], options, allowPositionals: true });
    return toCommand(values, positionals, program);
  } catch (error) {
    // parseArgs tells which value is missing, or is one too many.
    return { kind: "mistake", message: error instanceof Error ? error.message : String(error) };
  }
}

function toCommand(values: OptionValues, positionals: readonly string[], program: readonly string[]): Command {
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
  const { seed } = values;
  if (seed !== undefined && !/^\d{1,10}$/.test(seed))
    return mistake(`--seed must be a whole number, not ${JSON.stringify(seed)}`);
  if (verb !== "server" && verb !== "host")
    return mistake(`unknown command ${JSON.stringify(verb)}; there are server, host and compare`);
  if (verb === "host" && program.length === 0) return mistake("host needs a driver: host -- ./my-driver");
  const wrong = verb === "server" ? targetMistake(values, program) : undefined;
  return wrong === undefined ? { kind: verb, values, program } : mistake(wrong);
}

/**
 * What is wrong with an option that the command does not take, or that does nothing without
 * another.
 */
function idleOption(values: OptionValues, verb: string): string | undefined {
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

function toCompare({ strict = false }: OptionValues, [before, after, ...more]: readonly string[]): Command {
  if (before === undefined || after === undefined || more.length > 0) {
    return mistake("compare needs two reports that --json wrote: compare before.json after.json");
  }
  return { kind: "compare", before, after, strict };
}

/** Whether a user, or a program, has to sign in. */
export function wantsOAuth(values: OptionValues): boolean {
  return ofTargets.some((option) => option.startsWith("oauth") && values[option] !== undefined);
}

function targetMistake(values: OptionValues, program: readonly string[]): string | undefined {
  const { url, sse, config, header, "start-timeout": timeout, "token-env": tokenEnv } = values;
  if (timeout !== undefined && !(Number(timeout) > 0)) return "--start-timeout must be a number of seconds above 0";
  const isOAuth = wantsOAuth(values);
  const isProgram = program.length > 0;
  if (isProgram && (header !== undefined || tokenEnv !== undefined || isOAuth))
    return "--header, --token-env and --oauth are for servers at a URL; a program gets credentials from its environment";
  if (values["oauth-secret-env"] !== undefined && values["oauth-client"] === undefined)
    return "--oauth-secret-env is the secret of a client: name it with --oauth-client";
  if (isOAuth && tokenEnv !== undefined) return "give either --token-env or --oauth";
  const given = [isProgram, url !== undefined, sse !== undefined, config !== undefined].filter(Boolean).length;
  if (given > 1) return "give one of: a program after --, --url, --sse, --config";
  return given === 0
    ? "no server given: use -- node my-server.js, --url URL, --sse URL, or --config FILE --server NAME"
    : undefined;
}

function mistake(message: string): Command {
  return { kind: "mistake", message };
}

/** What is wrong with the first option that there is not, in one line. */
function unknownOption(argv: readonly string[]): string | undefined {
  const { tokens } = parseArgs({ args: [...argv], options, strict: false, allowPositionals: true, tokens: true });
  for (const token of tokens) {
    if (token.kind !== "option" || Object.hasOwn(options, token.name)) continue;
    const { name, rawName } = token;
    const isNear = (one: string): boolean => differByOneSlip(name, one) || one.startsWith(name) || name.startsWith(one);
    const near = Object.keys(options).filter(isNear).slice(0, 3);
    return `there is no option ${rawName}${near.length === 0 ? "" : `; like it is --${near.join(" or --")}`}`;
  }
  return undefined;
}
