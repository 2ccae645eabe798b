import type { FaultAction, FaultRule } from "@hostside/fixtures";
import { isJsonObject } from "@hostside/core/implement";
import type { DriverResult } from "../driver-protocol.ts";
import type { Reported } from "../host-driver.ts";
import type { Stage, Stand } from "../stage.ts";
import { must } from "../violation.ts";

/** The texts of a result, joined. */
export function textOf({ content }: DriverResult): string {
  return content
    .flatMap((block) => (isJsonObject(block) && typeof block["text"] === "string" ? [block["text"]] : []))
    .join("\n");
}

/** How a call went, in words. */
export function describeCall(reported: Reported<DriverResult>): string {
  if (reported.ok) return `the result ${JSON.stringify(reported.value).slice(0, 200)}`;
  const { code, outcome, message } = reported.error;
  return `the error ${[code, outcome, message.slice(0, 300)].filter((part) => part !== undefined).join(", ")}`;
}

/** Whether a call brought back what a tool said, and not that it failed. */
export function succeeded(reported: Reported<DriverResult>): reported is Extract<Reported<DriverResult>, { ok: true }> {
  return reported.ok && reported.value.isError !== true;
}

/** A call with this text as its argument. */
export interface CallOfTool {
  readonly text: string;
  /** The remote name. Default `append`. */
  readonly tool?: string;
  /** A deadline of its own, in milliseconds. */
  readonly timeoutMs?: number;
}

/**
 * A rule about the calls with this text. A host that starts the server again after a call in vain
 * makes a first call once more, so that a number would not do.
 */
export function onCallWith(text: string, ...actions: readonly FaultAction[]): FaultRule {
  return ruleOn({ on: "tools/call", where: { "params.arguments.text": text } }, ...actions);
}

/** A rule about every event of a name, or about some of them. */
export function ruleOn(when: string | Omit<FaultRule, "do">, ...actions: readonly FaultAction[]): FaultRule {
  return { ...(typeof when === "string" ? { on: when } : when), do: actions };
}

/** Calls a tool, which must work, and must have run exactly once by then. */
export async function callWell(stage: Stage, stand: Stand, what: string | CallOfTool): Promise<void> {
  const { text, tool = "append" } = typeof what === "string" ? { text: what } : what;
  const reported = await stage.call(stand, { text }, { tool });
  must(succeeded(reported), `a call to ${stand.id} that should work brought ${describeCall(reported)}`);
  must(textOf(reported.value) === text, `a call with ${JSON.stringify(text)} brought ${describeCall(reported)}`);
  mustHaveRun(stand, { tool, text, times: [1] });
}

/** A call that must not seem to have worked, and must be over in time. */
export async function callInVain(stage: Stage, stand: Stand, what: string | CallOfTool): Promise<string> {
  const { text, ...manner } = typeof what === "string" ? { text: what } : what;
  const reported = await stage.call(stand, { text }, manner);
  must(!succeeded(reported), `a call that cannot have worked brought ${describeCall(reported)}`);
  return describeCall(reported);
}

/**
 * Calls until it works, because a host may need a moment to see that a server is gone. Each attempt
 * has a text of its own, and none may run more than once.
 */
export async function callUntilItWorks(stage: Stage, stand: Stand, tool = "append"): Promise<number> {
  let attempts = 0;
  let last = "nothing";
  const deadline = Date.now() + stage.patienceMs;
  for (;;) {
    attempts += 1;
    const text = `attempt ${attempts}`;
    const reported = await stage.call(stand, { text }, { tool });
    mustHaveRun(stand, { tool, text, times: succeeded(reported) ? [1] : [0, 1] });
    if (succeeded(reported)) return attempts;
    last = describeCall(reported);
    must(Date.now() < deadline, `${stand.id} is there again, and calls still bring ${last}`);
    await stage.quiet();
  }
}

/** How often a tool may have run with a text. */
export interface RunCount extends CallOfTool {
  readonly times: readonly number[];
}

/** Compares what the host said with the ledger of the server. */
export function mustHaveRun(stand: Stand, { tool = "append", text, times }: RunCount): void {
  const ran = stand.runs(tool).filter((args) => args["text"] === text).length;
  must(times.includes(ran), `${stand.id} ran the call ${JSON.stringify(text)} ${ran} times, not ${times.join(" or ")}`);
}

/** Waits until no process of the servers is alive. */
export async function mustLeaveNoProcess(stage: Stage, ...stands: readonly Stand[]): Promise<void> {
  const left = (): readonly number[] => stands.flatMap((stand) => stand.livePids());
  await stage.eventually("a process of the server, or one that it started, is still alive", () => left().length === 0);
}
