import type { CheckResult, Finding } from "../engine/check.ts";
import { fail, notKnown, pass } from "./checks/define-check.ts";
import { attemptHandshake, describeAnswer, type HandshakeAttempt } from "./handshake.ts";
import { readySession, type ReadySession } from "./ready-session.ts";
import type { ServerTarget } from "./server-target.ts";

/** The check that is about two processes of a server. */
export const secondProcessId = "stdio/second-process";

/** Starts a second process of the server beside a first one, and looks whether both are there. */
export async function startSecondProcess(target: ServerTarget): Promise<Finding> {
  // Not the shared session, which other checks' processes may have ended.
  const first = await start(target);
  const second = "probe" in first ? await start(target) : first;
  const alive = "probe" in first ? await first.probe() : undefined;
  // A code is its own doing, and says nothing of the other one.
  if (alive?.kind === "gone")
    return (/SIG/.test(alive.reason) ? fail : notKnown)(`one process ended when another one started: ${alive.reason}`);
  if (!("probe" in second)) {
    const { answer, reason } = second;
    return answer.kind === "gone" ? fail(`beside another process: ${reason}`) : notKnown(reason);
  }
  return alive?.kind === "silence" ? notKnown(describeAnswer(alive)) : pass("both were answered");
}

type Refused = HandshakeAttempt & { readonly ok: false };

async function start(target: ServerTarget): Promise<ReadySession | Refused> {
  const session = await target.open();
  const attempt = await attemptHandshake(session, target);
  return attempt.ok ? readySession(session, attempt.handshake, target.substitute) : attempt;
}

/**
 * Results of a run, where the processes of the server end one another: the kit has several at once,
 * and what a check asked is not why one ended in it.
 */
export function foldSecondProcess(results: readonly CheckResult[]): readonly CheckResult[] {
  const second = results.find(({ check }) => check.id === secondProcessId)?.finding;
  if (second?.status !== "fail") return results;
  const ended = results.filter(({ check, finding }) => check.id !== secondProcessId && isOfEnd(finding));
  const excused = new Set(ended.map(({ check }) => check.id));
  const reason = `the kit runs several processes of the server: ${second.observed}`;
  return results.map((result) => {
    const { check, finding } = result;
    const isOfIt = excused.has(finding.status === "could-not-run" ? (finding.cause ?? check.id) : check.id);
    return isOfIt ? { ...result, finding: { status: "could-not-run", reason, cause: secondProcessId } } : result;
  });
}

function isOfEnd(finding: Finding): boolean {
  if (finding.status === "could-not-run") return finding.cause === undefined && /process ended/.test(finding.reason);
  if (finding.status !== "fail") return false;
  const isInTrace =
    finding.trace?.some(({ kind, text }) => kind === "process" && text.startsWith("ended: SIG")) === true;
  return isInTrace || /process ended/.test(finding.observed);
}
