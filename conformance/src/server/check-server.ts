import { preventAll, createReport } from "../engine/judge-run.ts";
import { createTraceRecorder } from "../engine/trace-recorder.ts";
import { detectSse, reachServer } from "./reach-server.ts";
import { cleanText } from "@hostside/core";
import { assertKnownOptions, type Fields, type Redactor } from "@hostside/core/implement";
import type { Check, CheckResult, Finding } from "../engine/check.ts";
import type { HostPreview, Obstacle, RunReport } from "../engine/run-report.ts";
import { runChecks, runOptionFields, type RunOptions } from "../engine/run-checks.ts";
import { previewHost } from "../preview/preview-host.ts";
import {
  assertServerAddress,
  describeAddress,
  redactorOf,
  toServerSpec,
  type ServerAddress,
} from "./server-address.ts";
import { serverChecks } from "./checks/server-checks.ts";
import { notKnown, preventedBy, type ServerCheck } from "./checks/define-check.ts";
import { modernRevision, type Handshake } from "./handshake.ts";
import { uncalledTools, unknownTools, type CallConsent } from "./consented-tools.ts";
import { createTargetOwner, type TargetOwner } from "./server-target.ts";
import { excuseRefusal, watchOutage } from "./watch-outage.ts";
import { foldSecondProcess } from "./second-process.ts";

/** Options of {@linkcode checkServer}. By default four checks run at once. */
export interface CheckServerOptions extends RunOptions<ServerCheck> {
  readonly address: ServerAddress;
  /** Which tools may be called. Default: those that declare themselves read-only. */
  readonly consent?: CallConsent;
  /**
   * How long an answer may take, in milliseconds, before it counts as silence. Default 20,000: a busy
   * machine takes its time, and a server that answers costs none of it. Where silence is legal, the
   * kit waits 3,000 at most.
   */
  readonly answerMs?: number;
  /**
   * How long the first answer may take, in milliseconds: the program may have to be downloaded
   * first. Default 30,000.
   */
  readonly startMs?: number;
  /** Whether to show what a host makes of the server. Default `true`. */
  readonly preview?: boolean;
}

const optionFields: Fields<CheckServerOptions> = {
  address: true,
  consent: true,
  ...runOptionFields,
  answerMs: true,
  startMs: true,
  preview: true,
};

const readOnlyTools: CallConsent = { named: new Map(), all: false };

/**
 * Checks a server: starts it as often as needed, or connects to it, and leaves nothing running.
 * Resolves with a report in every case that is about the server, also when it cannot be reached. A
 * URL at which HTTP+SSE of 2024-11-05 alone is spoken is checked over that. Rejects with a
 * `TypeError` for an option that it does not know and for an address that is none, before anything
 * starts.
 *
 * @example
 * const server = { command: "node", args: ["my-server.js"] };
 * const report = await checkServer({ address: { type: "stdio", server } });
 * if (report.verdict !== "pass") throw new Error(toTerminal(report));
 */
export async function checkServer(options: CheckServerOptions): Promise<RunReport> {
  assertKnownOptions("checkServer()", options, optionFields);
  assertServerAddress(options.address);
  const { checks = serverChecks, consent = readOnlyTools, answerMs = 20_000, startMs = 30_000, seed = 1 } = options;
  const startedAt = (options.today ?? (() => new Date()))();
  const start = performance.now();
  const { address, signal } = options;
  const redact = redactorOf(address);
  const trace = createTraceRecorder(redact);
  const owner = createTargetOwner({ address, consent, trace, answerMs, startMs });
  process.once("exit", owner.abandon);
  try {
    const reached = await reachServer(owner, { address, answerMs, startMs, redact, signal });
    const older = await detectSse(address, reached, { trace, answerMs });
    if (older !== undefined) return await checkServer({ ...options, address: older });
    const found = reached.kind === "ready" ? reached.handshake : undefined;
    const obstacle = reached.kind === "obstacle" ? reached.obstacle : undefined;
    const runnable = obstacle ? checks.filter((check) => isAboutRefusals(check, obstacle)) : checks;
    // A check waits for two starts at most and a few answers; only one that is stuck takes longer.
    const checkTimeoutMs = answerMs * 4 + owner.enter().target.startMs * 2;
    const ran = await runChecks(inScopes(runnable, address), owner, { ...options, seed, checkTimeoutMs });
    const results = obstacle ? preventAll(checks, obstacle, ran) : foldSecondProcess(foldPieces(foldDeaths(ran)));
    const preview = await previewOf(options, found);
    return createReport(options, {
      side: "server",
      target: describeAddress(address),
      startedAt,
      durationMs: performance.now() - start,
      results: results.map((result) => ({ ...result, finding: cleanFinding(result.finding, redact) })),
      trace: trace.slice(),
      ...(found && { identity: identityOf(found, results), ...(await toolsLeftOut(owner, results, redact)) }),
      ...(obstacle && { obstacle }),
      ...(preview && { preview }),
    });
  } finally {
    await owner.close();
    process.off("exit", owner.abandon);
  }
}

/** The tools that were named and are not listed, and those that were not called. */
async function toolsLeftOut(
  owner: TargetOwner,
  results: readonly CheckResult[],
  redact: Redactor,
): Promise<Pick<RunReport, "unknownTools" | "uncalledTools">> {
  const { target } = owner.enter();
  const clean = (text: string, longest: number): string => cleanText(redact(text), longest);
  // The server may have gone by now, which the results say.
  const unknown = await unknownTools(target).catch(() => []);
  const isCalling = results.some(({ check }) => check.id.startsWith("calls/"));
  const uncalled = isCalling ? await uncalledTools(target).catch(() => []) : [];
  return {
    ...(unknown.length > 0 && { unknownTools: unknown.map((name) => clean(name, 200)) }),
    ...(uncalled.length > 0 && {
      uncalledTools: uncalled.map(({ name, reason, remedy }) => ({
        name: clean(name, 200),
        reason,
        ...(remedy !== undefined && { remedy: clean(remedy, 250) }),
      })),
    }),
  };
}

/**
 * Each check gets a view of its own, so that what it opened ends with it, also when it throws or
 * takes too long. A check that is about another transport does not apply, whatever it needs.
 */
function inScopes(checks: readonly ServerCheck[], address: ServerAddress): readonly Check<TargetOwner>[] {
  const outage = watchOutage(address);
  return checks.map(({ over, rough = false, ...check }) => {
    if (over !== undefined && over !== address.type) {
      const finding: Finding = { status: "not-applicable", reason: `the server is not reached over ${over}` };
      return { ...check, needs: [], run: async () => finding };
    }
    return {
      ...check,
      async run(owner, context) {
        const look = async (isAgain: boolean): Promise<Finding> => {
          const { target, trace, leave, hasLostProcess } = owner.enter();
          context.signal.addEventListener("abort", leave, { once: true });
          const [found] = await Promise.allSettled([check.run(target, context)]);
          const isPassed = found.status === "fulfilled" && !isUndone(found.value);
          // A process that ended in another check's hands, or of what that one had asked.
          if (!isPassed && !isAgain && hasLostProcess()) return look(true);
          if (found.status === "rejected") throw found.reason;
          const finding = await excuseSilence(found.value, owner, check.id);
          return finding.status === "fail" ? { ...finding, trace: trace() } : finding;
        };
        return excuseRefusal(await outage.judge({ id: check.id, rough }, () => look(false)));
      },
    };
  });
}

function isUndone({ status }: Finding): boolean {
  return status === "fail" || status === "could-not-run";
}

/**
 * A failure that is silence stands where another session is begun meanwhile: else the machine, not
 * the server, may be what is slow.
 */
async function excuseSilence(finding: Finding, owner: TargetOwner, id: string): Promise<Finding> {
  if (finding.status !== "fail" || !/\bno answer\b.* within [\d.]+ s/.test(finding.observed)) return finding;
  const { target, leave } = owner.enter();
  const [control] = await Promise.allSettled([target.openReady()]);
  leave();
  if (control.status === "fulfilled" || !/no answer within/.test(String(control.reason))) return finding;
  return notKnown(`${finding.observed}, nor to another client; try this check alone with --only ${id}`);
}

/** What could not run because the process ends by itself has that for its cause. */
function foldDeaths(results: readonly CheckResult[]): readonly CheckResult[] {
  const died = /process(?:es)? ended/;
  const cause = results.find(({ finding }) => finding.status === "fail" && died.test(finding.observed))?.check.id;
  if (cause === undefined) return results;
  return results.map((result) => {
    const { finding } = result;
    const isOfIt = finding.status === "could-not-run" && finding.cause === undefined && died.test(finding.reason);
    return isOfIt ? { ...result, finding: { ...finding, cause } } : result;
  });
}

/** A large message over stdio comes in pieces, too. */
function foldPieces(results: readonly CheckResult[]): readonly CheckResult[] {
  const cause = "stdio/split-writes";
  if (results.find(({ check }) => check.id === cause)?.finding.status !== "fail") return results;
  return results.map((result) =>
    result.check.id === "requests/large-message" && result.finding.status === "fail"
      ? { ...result, finding: preventedBy(cause) }
      : result,
  );
}

// Who is refused for want of credentials can still look at how that is done.
function isAboutRefusals({ id }: ServerCheck, { kind }: Obstacle): boolean {
  return kind === "auth-required" && id.startsWith("auth/");
}

async function previewOf(
  { address, preview = true, signal }: CheckServerOptions,
  found: Handshake | undefined,
): Promise<HostPreview | undefined> {
  if (!preview || found === undefined || signal?.aborted) return undefined;
  const signIn = address.type === "stdio" ? undefined : address.signIn;
  // The sign-in is that of the server by this id.
  if (signIn) return previewHost(toServerSpec(address), signIn.authProvider);
  const name = found.serverInfo?.["name"];
  return previewHost(toServerSpec(address, typeof name === "string" && name !== "" ? cleanText(name, 64) : "server"));
}

function identityOf(
  { serverInfo, protocolVersion }: Handshake,
  results: readonly CheckResult[],
): NonNullable<RunReport["identity"]> {
  const [name, version] = [serverInfo?.["name"], serverInfo?.["version"]];
  return {
    ...(typeof name === "string" && { name: cleanText(name, 200) }),
    ...(typeof version === "string" && { version: cleanText(version, 200) }),
    protocolVersions: [...new Set([cleanText(protocolVersion, 40), ...revisionsOf(results)])].sort(),
  };
}

/** The revisions in which a handshake ended that was begun with them. */
function revisionsOf(results: readonly CheckResult[]): readonly string[] {
  return results.flatMap(({ check, finding }) => {
    if (finding.status !== "pass") return [];
    if (check.id === "lifecycle/stateless-era") return [modernRevision];
    const revision = /^lifecycle\/negotiates-(.+)$/.exec(check.id)?.[1];
    return revision !== undefined && finding.observed === revision ? [revision] : [];
  });
}

// What a finding quotes comes from the server: it may be long, hide characters, or echo a
// credential.
function cleanFinding(finding: Finding, redact: Redactor): Finding {
  const clean = (text: string): string => cleanText(redact(text), 1000);
  if ("reason" in finding) return { ...finding, reason: clean(finding.reason) };
  return finding.observed === undefined ? finding : { ...finding, observed: clean(finding.observed) };
}
