import { cleanText } from "@hostside/core";
import { assertKnownOptions, type Fields, type Redactor } from "@hostside/core/implement";
import { applyBaseline, type Baseline } from "../engine/baseline.ts";
import type { Check, CheckInfo, CheckResult, Finding } from "../engine/check.ts";
import type { HostPreview } from "../engine/host-preview.ts";
import { judgeRun } from "../engine/judge-run.ts";
import { kitVersion } from "../engine/kit-version.ts";
import { describe, runChecks } from "../engine/run-checks.ts";
import { exitCodes, type Obstacle, type RunReport } from "../engine/run-report.ts";
import { createTraceRecorder } from "../engine/trace-recorder.ts";
import { previewHost } from "../preview/preview-host.ts";
import { assertServerAddress } from "./assert-server-address.ts";
import { serverChecks } from "./checks/server-checks.ts";
import type { ServerCheck } from "./checks/define-check.ts";
import { modernRevision, type Handshake } from "./handshake.ts";
import { reachServer } from "./reach-server.ts";
import { describeAddress, redactorOf, toServerSpec, type ServerAddress } from "./server-address.ts";
import { detectSse } from "./detect-sse.ts";
import { unknownTools, type CallConsent } from "./consented-tools.ts";
import { createTargetOwner, type TargetOwner } from "./server-target.ts";
import { excuseLimitedRate } from "./limited-rate.ts";
import { watchOutage } from "./watch-outage.ts";

/** Options of {@linkcode checkServer}. */
export interface CheckServerOptions {
  readonly address: ServerAddress;
  /** Which tools may be called. Default: those that declare themselves read-only. */
  readonly consent?: CallConsent;
  /** Default: all. */
  readonly checks?: readonly ServerCheck[];
  /** Default 1. */
  readonly seed?: number;
  /** `true`: failed SHOULD and HOST checks fail the run. Default `false`. */
  readonly strict?: boolean;
  readonly baseline?: Baseline;
  /** How long an answer may take, in milliseconds, before it counts as silence. Default 3,000. */
  readonly answerMs?: number;
  /**
   * How long the first answer may take, in milliseconds: the program may have to be downloaded
   * first. Default 30,000.
   */
  readonly startMs?: number;
  /** How many checks run at once. Default 4. */
  readonly concurrency?: number;
  /** Whether to show what a host makes of the server. Default `true`. */
  readonly preview?: boolean;
  /** Ends the run early; the report then says what could not run. */
  readonly signal?: AbortSignal;
  readonly onStart?: (check: CheckInfo) => void;
  readonly onResult?: (result: CheckResult) => void;
  /** The time of day. Default: the system's. */
  readonly today?: () => Date;
}

const optionFields: Fields<CheckServerOptions> = {
  address: true,
  consent: true,
  checks: true,
  seed: true,
  strict: true,
  baseline: true,
  answerMs: true,
  startMs: true,
  concurrency: true,
  preview: true,
  signal: true,
  onStart: true,
  onResult: true,
  today: true,
};

const readOnlyTools: CallConsent = { named: new Map(), all: false };

/**
 * Checks a server: starts it as often as needed, or connects to it, and leaves nothing running.
 * Resolves with a report in every case that is about the server, also when it cannot be reached. A
 * URL at which HTTP+SSE of 2024-11-05 alone is spoken is checked over that. Rejects with a
 * `TypeError` for an option that it does not know and for an address that is none, before anything
 * starts.
 */
export async function checkServer(options: CheckServerOptions): Promise<RunReport> {
  assertKnownOptions("checkServer()", options, optionFields);
  assertServerAddress(options.address);
  const { address, checks = serverChecks, consent = readOnlyTools, answerMs = 3000, startMs = 30_000 } = options;
  const startedAt = (options.today ?? (() => new Date()))();
  const start = performance.now();
  const redact = redactorOf(address);
  const trace = createTraceRecorder({ redact });
  const owner = createTargetOwner({ address, consent, trace, answerMs });
  const abandon = (): void => owner.abandon();
  process.once("exit", abandon);
  try {
    const reached = await reachServer(owner, { address, answerMs, startMs, redact, signal: options.signal });
    const status = reached.kind === "answers" ? reached.status : undefined;
    const older = await detectSse(address, { status, trace, answerMs });
    if (older !== undefined) return await checkServer({ ...options, address: older });
    const found = reached.kind === "ready" ? reached.handshake : undefined;
    const obstacle = reached.kind === "obstacle" ? reached.obstacle : undefined;
    const runnable = obstacle ? checks.filter((check) => isAboutRefusals(check, obstacle)) : checks;
    const ran = await runChecks(inScopes(runnable, address), owner, runOptions(options));
    const results = obstacle ? preventAll(checks, ran, obstacle) : ran;
    const unknown = found ? await unknownTools(owner.enter().target) : [];
    const preview = await previewOf(options, found);
    return createReport({
      options,
      startedAt,
      durationMs: performance.now() - start,
      results: results.map((result) => ({ ...result, finding: cleanFinding(result.finding, redact) })),
      trace: trace.slice(),
      ...(found && { identity: identityOf(found, results) }),
      ...(obstacle && { obstacle }),
      ...(preview && { preview }),
      unknown: unknown.map((name) => cleanText(redact(name), 200)),
    });
  } finally {
    await owner.close();
    process.off("exit", abandon);
  }
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
        const { target, leave } = owner.enter();
        context.signal.addEventListener("abort", leave, { once: true });
        return excuseLimitedRate(await outage.judge({ id: check.id, rough }, () => check.run(target, context)));
      },
    };
  });
}

function runOptions({
  seed = 1,
  answerMs = 3000,
  concurrency,
  signal,
  onStart,
  onResult,
}: CheckServerOptions): Parameters<typeof runChecks>[2] {
  return {
    seed,
    // A check waits for a start and a few answers; only one that is stuck takes longer.
    checkTimeoutMs: answerMs * 7,
    ...(concurrency !== undefined && { concurrency }),
    ...(signal && { signal }),
    ...(onStart && { onStart }),
    ...(onResult && { onResult }),
  };
}

// Who is refused for want of credentials can still look at how that is done.
function isAboutRefusals({ id }: ServerCheck, { kind }: Obstacle): boolean {
  return kind === "auth-required" && id.startsWith("auth/");
}

function preventAll(
  checks: readonly ServerCheck[],
  ran: readonly CheckResult[],
  { kind, reason }: Obstacle,
): readonly CheckResult[] {
  const finding: Finding = { status: "could-not-run", reason, cause: kind };
  return checks.map(
    (check) => ran.find(({ check: { id } }) => id === check.id) ?? { check: describe(check), finding, durationMs: 0 },
  );
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
  switch (finding.status) {
    case "pass":
      return finding.observed === undefined ? finding : { ...finding, observed: clean(finding.observed) };
    case "fail":
      return { ...finding, observed: clean(finding.observed) };
    case "not-applicable":
    case "could-not-run":
      return { ...finding, reason: clean(finding.reason) };
  }
}

interface Facts extends Pick<RunReport, "results" | "trace" | "durationMs"> {
  readonly options: CheckServerOptions;
  readonly startedAt: Date;
  readonly identity?: RunReport["identity"];
  readonly obstacle?: Obstacle;
  readonly preview?: HostPreview;
  readonly unknown: readonly string[];
}

function createReport({ options, startedAt, durationMs, results: found, trace, unknown, ...known }: Facts): RunReport {
  const { address, seed = 1, strict = false, baseline = { entries: [] } } = options;
  const day = startedAt.toISOString().slice(0, 10);
  const { results, stale } = applyBaseline(found, baseline, day);
  const judgement = judgeRun(results, { strict, stale, incomplete: unknown.length > 0 });
  const { obstacle, identity, preview } = known;
  return {
    schemaVersion: 1,
    kit: { name: "@hostside/conformance", version: kitVersion() },
    side: "server",
    target: describeAddress(address),
    ...(identity && { identity }),
    startedAt: startedAt.toISOString(),
    durationMs,
    seed,
    strict,
    ...judgement,
    ...(obstacle && { obstacle, verdict: "incomplete", exitCode: exitCodeOf(obstacle) }),
    ...(unknown.length > 0 && { unknownTools: unknown }),
    ...(preview && { preview }),
    results,
    staleBaseline: stale,
    trace,
  };
}

function exitCodeOf({ kind }: Obstacle): number {
  return kind === "auth-required" ? exitCodes.authRequired : exitCodes.unreachable;
}
