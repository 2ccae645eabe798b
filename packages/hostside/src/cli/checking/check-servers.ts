import type { ServerSpec } from "@hostside/core";
import { bearerTokenOf } from "@hostside/core/implement";
import type * as Kit from "@hostside/conformance";
import type { ServerAddress, ReportFormat, RunReport, TextStyle } from "@hostside/conformance";
import type { OAuth } from "@hostside/auth";
import { connect } from "@hostside/transports";
import { signInWhereAsked } from "../../auth/sign-in-where-asked.ts";
import { fromEnvironment } from "../from-environment.ts";
import { extname } from "node:path";
import { createTrust } from "@hostside/config";
import { loadConfig, type LoadedConfig } from "@hostside/config/node";
import { chooseAuth } from "../../auth/choose-auth.ts";
import { userState } from "../../state/user-state.ts";
import type { CommandContext, CommandWork } from "../command-context.ts";
import { exitCodes, usageError } from "../exit-codes.ts";
import { startableServer } from "../opening/known-server.ts";
import { filesOf } from "../opening/config-files.ts";
import { reportProblems } from "../opening/report-problems.ts";
import { loadKit } from "../load-kit.ts";
import { printJson } from "../render/print.ts";

/** Who lets the kit in, where somebody has signed in. */
export interface AddressMeans {
  readonly authProvider: OAuth["authProvider"] | undefined;
  readonly signal: AbortSignal;
}

/**
 * Where the kit finds a server of the configuration, with what lets it in; `undefined` for a
 * transport that the kit does not speak.
 */
export async function toAddress(spec: ServerSpec, means: AddressMeans): Promise<ServerAddress | undefined> {
  if (spec.command !== undefined) {
    // It is checked in the environment that it is used in, and a stranger's server gets no more of
    // it.
    const { command, args = [], env, cwd, inheritEnv = "safe" } = spec;
    return {
      type: "stdio",
      server: { command, args, inheritEnv, ...(env && { env }), ...(cwd !== undefined && { cwd }) },
    };
  }
  if (spec.url === undefined) return undefined;
  const url = new URL(spec.url);
  const token = bearerTokenOf(spec);
  const headers = {
    ...spec.headers,
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    ...(await signedInHeaders(spec, url, means)),
  };
  return { type: "http", url, headers };
}

/**
 * What a sign-in gives; nothing where nobody has signed in, and the kit reports what the server
 * asks for.
 */
async function signedInHeaders(
  spec: ServerSpec,
  url: URL,
  { authProvider, signal }: AddressMeans,
): Promise<Readonly<Record<string, string>>> {
  const signed = signInWhereAsked(spec);
  if (authProvider === undefined || signed.url === undefined || signed.auth === undefined) return {};
  try {
    // A connection renews what has run out, over its own HTTP; the kit then gets what is kept.
    const connection = await connect(signed, { ...fromEnvironment, authProvider, signal, isInteractive: () => false });
    await connection.close();
    const given = authProvider(signed, { interactive: false, fetch: refuse });
    return (await given?.headersFor({ method: "POST", url })) ?? {};
  } catch {
    return {};
  }
}

function refuse(): Promise<Response> {
  return Promise.reject(new TypeError("nothing is asked for here"));
}

/** What `check` is asked. */
export interface CheckArguments {
  readonly server: string | undefined;
  readonly only: readonly string[];
  readonly skip: readonly string[];
  readonly strict: boolean;
  /** Tools that may be called, as `name` or `name={"json":"arguments"}`. */
  readonly calls: readonly string[];
  readonly allowCalls: boolean;
  readonly reports: readonly string[];
}

/** Runs the conformance kit's checks against servers of the configuration, one after the other. */
export const checkServers: CommandWork<CheckArguments> = async (args, context) => {
  const kit = await loadKit("check", () => import("@hostside/conformance"));
  const plan = readPlan(args, kit);
  const { terminal, options } = context;
  const config = await readServers(context);
  const specs = chooseServers(config, args);
  reportProblems(context, config, (id) => args.server === undefined || specs.some((spec) => spec.id === id));
  const { credentials } = userState(terminal);
  const auth = chooseAuth(undefined, {
    credentials,
    extrasOf: (id) => config.sources.find(({ serverId }) => serverId === id)?.extras,
    clock: undefined,
    way: fromEnvironment,
  });
  const means = { authProvider: auth.oauth?.authProvider, signal: terminal.signal };
  const reports: { readonly server: string; readonly report: RunReport }[] = [];
  const failures: string[] = [];
  try {
    for (const spec of specs) {
      if (terminal.signal.aborted) break;
      const report = await checkOne(spec, { plan, kit, context, means });
      if (report === undefined) continue;
      reports.push({ server: spec.id, report });
      if (options.json !== true) terminal.out(kit.toTerminal(report, styleOf(terminal)));
      failures.push(...(await kit.writeReports(report, plan.files)));
    }
  } finally {
    await auth.close();
  }
  for (const failure of failures) terminal.err(`${failure}\n`);
  if (options.json === true) printJson(terminal, { reports });
  if (failures.length > 0) return exitCodes.usage;
  if (terminal.signal.aborted) return exitCodes.incomplete;
  const codes = reports.map(({ report }) => report.exitCode);
  // What cannot be used was not checked, and nobody who reads 0 is to think so.
  const isPartial = args.server === undefined && config.problems.some(({ severity }) => severity === "error");
  return worstOf(isPartial ? [...codes, exitCodes.incomplete] : codes);
};

type Plan = ReturnType<typeof readPlan>;

function readPlan({ only, skip, calls, allowCalls, reports, strict, server }: CheckArguments, kit: typeof Kit) {
  const selection = kit.selectChecks(kit.serverChecks, { only, skip });
  if (!selection.ok) throw usageError(selection.mistake.replace("; --list shows them all", ""));
  const consent = kit.readConsent(calls, allowCalls);
  if (typeof consent === "string") throw usageError(consent);
  if (server === undefined && (reports.length > 0 || calls.length > 0))
    throw usageError("--report and --call are about one server", "name it: hostside check SERVER");
  return { checks: selection.checks, consent, strict, files: new Map(reports.map((file) => [formatOf(file), file])) };
}

const formats: Readonly<Record<string, ReportFormat>> = {
  ".json": "json",
  ".xml": "junit",
  ".sarif": "sarif",
  ".html": "html",
  ".md": "markdown",
};

function formatOf(file: string): ReportFormat {
  const format = formats[extname(file).toLowerCase()];
  if (format === undefined)
    throw usageError(`--report ${file}: the name must end with one of ${Object.keys(formats).join(", ")}`);
  return format;
}

async function readServers(context: CommandContext): Promise<LoadedConfig> {
  const { watch: _, ...files } = filesOf(context);
  const { store } = userState(context.terminal);
  return loadConfig({ ...files, trust: createTrust({ store }), signal: context.terminal.signal });
}

function chooseServers(config: LoadedConfig, { server }: CheckArguments): readonly ServerSpec[] {
  const only = server === undefined ? undefined : startableServer(config, server).serverId;
  const specs = config.servers.filter(({ id, disabled }) => disabled !== true && (only === undefined || id === only));
  if (specs.length === 0) throw usageError("there is no server to check", "hostside list shows them all");
  return specs;
}

interface Checking {
  readonly plan: Plan;
  readonly kit: typeof Kit;
  readonly context: CommandContext;
  readonly means: Parameters<typeof toAddress>[1];
}

async function checkOne(spec: ServerSpec, { plan, kit, context, means }: Checking): Promise<RunReport | undefined> {
  const { terminal, options } = context;
  const { checks, consent, strict } = plan;
  const address = await toAddress(spec, means);
  if (address === undefined) return undefined;
  const isQuiet = options.quiet === true || options.json === true;
  const view = { err: terminal.err, live: terminal.isLive, columns: terminal.columns };
  const progress = isQuiet ? undefined : kit.showProgress(view, { total: checks.length, target: spec.id });
  try {
    return await kit.checkServer({
      address,
      checks,
      consent,
      strict,
      seed: Math.floor(Math.random() * 2 ** 31),
      startMs: (options.timeout ?? 30) * 1000,
      signal: terminal.signal,
      ...(progress && { onStart: progress.onStart, onResult: progress.onResult }),
    });
  } finally {
    progress?.end();
  }
}

function styleOf({ paint }: CommandContext["terminal"]): TextStyle {
  return {
    good: (text) => paint("good", text),
    bad: (text) => paint("bad", text),
    warn: (text) => paint("warn", text),
    faint: (text) => paint("dim", text),
    strong: (text) => paint("bold", text),
  };
}

// What somebody has to look at first.
const order: readonly number[] = [
  exitCodes.fail,
  exitCodes.unreachable,
  exitCodes.authRequired,
  exitCodes.incomplete,
  exitCodes.pass,
];

/** The exit code of several runs. */
export function worstOf(codes: readonly number[]): number {
  return order.find((code) => codes.includes(code)) ?? exitCodes.incomplete;
}
