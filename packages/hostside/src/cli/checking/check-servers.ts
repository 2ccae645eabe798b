import type { ServerSpec } from "@hostside/core";
import { bearerTokenOf } from "@hostside/core/implement";
import type * as Kit from "@hostside/conformance";
import type { ReportFormat, RunReport, ServerAddress, TextStyle } from "@hostside/conformance";
import type { OAuth } from "@hostside/auth";
import { createAuthorizationFetch } from "@hostside/transports";
import { signInWhereAsked } from "../../auth/to-client.ts";
import { fromEnvironment } from "../from-environment.ts";
import { extname } from "node:path";
import { chooseAuth } from "../../auth/choose-auth.ts";
import { userState } from "../../state/user-state.ts";
import type { CommandWork } from "../command-context.ts";
import { loadConfigured } from "../opening/config-files.ts";
import { exitCodes, usageError } from "../exit-codes.ts";
import { startableServer } from "../opening/known-server.ts";
import { reportProblems } from "../opening/report-problems.ts";
import { loadKit } from "../load-kit.ts";
import { printJson } from "../render/print.ts";
import type { Style, Terminal } from "../terminal.ts";

/**
 * The address of a server for the kit, with credentials. `undefined`: the kit does not speak its
 * transport.
 */
export async function toAddress(
  spec: ServerSpec,
  authProvider?: OAuth["authProvider"],
): Promise<ServerAddress | undefined> {
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
    ...(await signedInHeaders(spec, url, authProvider)),
  };
  return { type: "http", url, headers };
}

/**
 * Headers of a sign-in. Without one there are none, and the kit reports what the server asks for.
 */
async function signedInHeaders(
  spec: ServerSpec,
  url: URL,
  authProvider: OAuth["authProvider"] | undefined,
): Promise<Readonly<Record<string, string>>> {
  const signed = signInWhereAsked(spec);
  if (authProvider === undefined || signed.url === undefined || signed.auth === undefined) return {};
  try {
    const fetch = createAuthorizationFetch({ ...fromEnvironment, server: signed });
    const given = authProvider(signed, { interactive: false, fetch });
    return (await given?.headersFor({ method: "POST", url })) ?? {};
  } catch {
    return {};
  }
}

/** Arguments of `check`. */
export interface CheckArguments {
  readonly server: string | undefined;
  readonly only?: readonly string[];
  readonly skip?: readonly string[];
  readonly strict?: boolean;
  /** Tools that may be called, as `name` or `name={"json":"arguments"}`. */
  readonly call?: readonly string[];
  readonly allowCalls?: boolean;
  /** Files of reports. */
  readonly report?: readonly string[];
}

/** Runs the conformance kit's checks against servers of the configuration, one after the other. */
export const checkServers: CommandWork<CheckArguments> = async (args, context) => {
  const { terminal, options } = context;
  const { signal, isLive: live, columns } = terminal;
  const kit = await loadKit("check", () => import("@hostside/conformance"));
  const { files, ...plan } = readPlan(args, kit);
  const err = options.quiet === true || options.json === true ? (): void => undefined : terminal.err;
  const { config } = await loadConfigured(context);
  const only = args.server === undefined ? undefined : startableServer(config, args.server).serverId;
  const specs = config.servers.filter(({ id, disabled }) => disabled !== true && (only === undefined || id === only));
  if (specs.length === 0) throw usageError("there is no server to check", "hostside list shows them all");
  reportProblems(context, config, (id) => only === undefined || id === only);
  const auth = await chooseAuth(undefined, {
    credentials: { isEmpty: false, open: async () => userState(terminal).credentials },
    extrasOf: (id) => config.sources.find(({ serverId }) => serverId === id)?.extras,
    connector: fromEnvironment,
  });
  const reports: { readonly server: string; readonly report: RunReport }[] = [];
  const failures: string[] = [];
  try {
    for (const spec of specs) {
      if (signal.aborted) break;
      const address = await toAddress(spec, auth.oauth?.authProvider);
      if (address === undefined) continue;
      const { onStart, onResult, end } = kit.showProgress(
        { err, live, columns },
        { total: plan.checks.length, target: spec.id },
      );
      const seed = Math.floor(Math.random() * 2 ** 31);
      const startMs = (options.timeout ?? 30) * 1000;
      const report = await kit
        .checkServer({ ...plan, address, seed, startMs, signal, onStart, onResult })
        .finally(() => end());
      reports.push({ server: spec.id, report });
      if (options.json !== true) terminal.out(kit.toTerminal(report, styleOf(terminal)));
      failures.push(...(await kit.writeReports(report, files)));
    }
  } finally {
    await auth.close();
  }
  for (const failure of failures) terminal.err(`${failure}\n`);
  if (options.json === true) printJson(terminal, { reports });
  if (failures.length > 0) return exitCodes.usage;
  if (signal.aborted) return exitCodes.incomplete;
  const codes = reports.map(({ report }) => report.exitCode);
  // An entry that cannot be used was not checked, and nobody who reads 0 is to think so.
  const isPartial = only === undefined && config.problems.some(({ severity }) => severity === "error");
  return worstOf(isPartial ? [...codes, exitCodes.incomplete] : codes);
};

function readPlan(args: CheckArguments, kit: typeof Kit) {
  const { only = [], skip = [], call = [], allowCalls = false, report = [], strict = false, server } = args;
  const selection = kit.selectChecks(kit.serverChecks, { only, skip });
  if (!selection.ok) throw usageError(selection.mistake.replace("; --list shows them all", ""));
  const consent = kit.readConsent(call, allowCalls);
  if (typeof consent === "string") throw usageError(consent);
  if (server === undefined && (report.length > 0 || call.length > 0))
    throw usageError("--report and --call are about one server", "name it: hostside check SERVER");
  return { checks: selection.checks, consent, strict, files: new Map(report.map((file) => [formatOf(file), file])) };
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
  if (format !== undefined) return format;
  throw usageError(`--report ${file}: the name must end with one of ${Object.keys(formats).join(", ")}`);
}

function styleOf({ paint }: Terminal): TextStyle {
  const style = (name: Style) => (text: string) => paint(name, text);
  return { good: style("good"), bad: style("bad"), warn: style("warn"), faint: style("dim"), strong: style("bold") };
}

// The worst first: what somebody has to look at.
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
