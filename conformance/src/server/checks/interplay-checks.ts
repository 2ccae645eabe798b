import { setTimeout as delay } from "node:timers/promises";
import type { JsonObject } from "@hostside/core";
import { isJsonObject } from "@hostside/core/implement";
import type { Finding } from "../../engine/check.ts";
import { inSeconds } from "../../engine/in-seconds.ts";
import { callTool, isNoAnswer, isReadOnly, noConsent, textOf } from "../consented-tools.ts";
import type { CallConsent, ConsentedTool, MadeCall } from "../consented-tools.ts";
import { describeAnswer, excerpt } from "../handshake.ts";
import type { Answer, HttpSession } from "../raw-session.ts";
import type { ReadySession } from "../ready-session.ts";
import type { ServerTarget } from "../server-target.ts";
import { fail, pass, hostAdvice, notApplicable, notKnown, legacySpec, type CheckInit } from "./define-check.ts";

/** Whether calls at the same time disturb one another. */
export const noCrossTalk: CheckInit = {
  title: "Calls at the same time get each its own result",
  level: "MUST",
  rule: "Requests may be in flight at the same time; each is answered with its own id.",
  source: legacySpec("basic#responses", "Base protocol, responses"),
  legal: ["twenty calls at once, with other arguments each time if the tool takes some, give what each gives alone"],
  fix: "Keep nothing about a call in variables that the next call shares; over HTTP make a server object for each session, or for each request without sessions.",
  needs: ["requests/concurrency"],
  run: async (target) => {
    const made = await target.calls();
    if (made === undefined) return noConsent(target);
    const lost = await lostAnswer(target, made.calls);
    if (lost !== undefined) return fail(lost);
    const quick = made.calls.filter(({ answer, durationMs }) => answer.kind === "result" && durationMs < quickCallMs);
    if (quick.length === 0) return pass(`${made.calls.length} tools called at once`);
    const calls = quick.map(({ tool }) => ({ tool, variants: variantsOf(tool, target.consent) }));
    const readOnly = calls.filter((call) => isReadOnly(call.tool.definition));
    const { tool, variants } = readOnly.find((call) => call.variants.length > 1) ?? readOnly[0] ?? calls[0] ?? noCall;
    return target.lend(async (ready) => {
      const alone = await inTurn(ready, tool, variants);
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, n) => callTool(ready, tool, variants[n % variants.length])),
      );
      const odd = answers.find(({ kind }, n) => kind !== "result" && alone[n % variants.length]?.kind === "result");
      if (odd && odd.kind !== "silence") return fail(`among twenty calls of ${tool.name}: ${describeAnswer(odd)}`);
      if (odd) return notKnown(`among twenty calls of ${tool.name}: ${describeAnswer(odd)}`);
      const swap = swapped(answers.map(textOf), alone.map(textOf));
      if (swap === undefined) return pass(`twenty results of ${tool.name}`);
      // A tool that answers as it likes has results that say nothing.
      const again = (await inTurn(ready, tool, variants)).map(textOf);
      if (again.join("\n") !== alone.map(textOf).join("\n")) return pass(`twenty results of ${tool.name}`);
      const [own, other] = swap.map((n) => excerpt(variants[n]));
      return fail(`among twenty calls of ${tool.name}, one with ${own} got the result of one with ${other}`);
    });
  },
};

/** Whether a cancelled call disturbs later ones. */
export const cancelled: CheckInit = {
  when: "alone",
  rough: true,
  title: "A tool that is cancelled while it runs can be called again",
  level: "MUST",
  rule: "A cancelled request is stopped, or finished in silence; it concerns that request alone.",
  source: legacySpec("basic/utilities/cancellation#behavior-requirements", "Cancellation, behavior requirements"),
  legal: [
    "no answer, or an answer that was already under way; then a probe and another call of the tool that are answered",
  ],
  fix: "Handle notifications/cancelled: stop the tool if you can, give back what it holds (locks, connections) in a finally block, and drop its answer.",
  needs: ["calls/answered", "requests/probe"],
  run: (target) =>
    interrupt(target, {
      orAny: true,
      stop: ({ session }) =>
        session.notify("notifications/cancelled", { requestId: interruptedId, reason: "conformance check" }),
    }),
};

/** Whether a client that leaves disturbs others. */
export const clientLeaves: CheckInit = {
  over: "http",
  when: "alone",
  rough: true,
  title: "A server outlives a client that leaves while a tool runs",
  level: "HOST",
  rule: "A server over HTTP serves many clients, and goes on serving them when one of them leaves.",
  source: hostAdvice("client-leaves"),
  legal: ["another client is answered afterwards, also when it calls the same tool"],
  fix: "Handle the end of the response: a write to it, or a rejection of what the tool waits for, must not end the process.",
  needs: ["calls/answered", "requests/probe"],
  run: (target) =>
    interrupt(target, {
      orAny: false,
      async stop({ session }) {
        // `over` has made sure that it is one over HTTP.
        (session as HttpSession).hangUp();
        return target.openReady();
      },
    }),
};

/** A call that gets no answer where something else is asked meanwhile, and gets one alone. */
async function lostAnswer(target: ServerTarget, calls: readonly MadeCall[]): Promise<string | undefined> {
  for (const { tool, together } of calls) {
    if (together) return `${tool.name}, while other tools ran: ${describeAnswer(together)}; alone it is answered`;
  }
  const long = calls.find(({ answer, durationMs }) => answer.kind === "result" && durationMs >= longCallMs);
  if (long === undefined || target.address.type === "stdio") return undefined;
  const { tool } = long;
  const [ready, other] = [await target.openReady(), await target.openReady()];
  const call = callTool(ready, tool, tool.args);
  await delay(longCallMs / 2);
  await Promise.all([other.probe(), other.request("tools/list")]);
  const answer = await call;
  if (!isNoAnswer(answer) || isNoAnswer(await callTool(ready, tool, tool.args))) return undefined;
  return `${tool.name}, while another client asked for the list of tools: ${describeAnswer(answer)}; alone it is answered`;
}

const quickCallMs = 500;
const noCall = { tool: { name: "", args: {}, definition: {} }, variants: [{}] };
const mostVariants = 5;
const interruptedId = "to-interrupt";
// From here on a tool is at work for long enough to be interrupted.
const longCallMs = 200;
const lockedMs = 20_000;

/**
 * The arguments of a tool, and others like them: where the tool is read-only, the kit made them up,
 * and there is a text or number to change.
 */
function variantsOf({ name, args, definition }: ConsentedTool, { named }: CallConsent): readonly JsonObject[] {
  const { properties } = isJsonObject(definition["inputSchema"]) ? definition["inputSchema"] : {};
  const key = Object.keys(args).find((each) => {
    const schema = isJsonObject(properties) ? properties[each] : undefined;
    const isFree = isJsonObject(schema) && ["const", "enum", "maxLength", "maximum"].every((word) => !(word in schema));
    return isFree && (typeof args[each] === "string" || typeof args[each] === "number");
  });
  if (key === undefined || named.get(name) !== undefined || !isReadOnly(definition)) return [args];
  const value = args[key] as string | number; // As `find` has made sure.
  return Array.from({ length: mostVariants }, (_, n) => ({
    ...args,
    [key]: typeof value === "number" ? value + n : `${value}${n || ""}`,
  }));
}

async function inTurn(
  ready: ReadySession,
  tool: ConsentedTool,
  variants: readonly JsonObject[],
): Promise<readonly Answer[]> {
  const answers: Answer[] = [];
  for (const args of variants) answers.push(await callTool(ready, tool, args));
  return answers;
}

/** A variant that got the result which another one gets alone, and that other one. */
function swapped(results: readonly string[], alone: readonly string[]): readonly [number, number] | undefined {
  for (const [n, text] of results.entries()) {
    const own = n % alone.length;
    const other = alone.indexOf(text);
    if (alone[own] !== text && other !== -1) return [own, other];
  }
  return undefined;
}

/**
 * Calls a tool that takes a while, interrupts the call, and looks whether the session that goes on,
 * by default the same, answers a probe and another call of the tool. Where no tool takes a while,
 * `orAny` interrupts the slowest.
 */
async function interrupt(
  target: ServerTarget,
  { orAny, stop }: { readonly orAny: boolean; readonly stop: (ready: ReadySession) => Promise<ReadySession | void> },
): Promise<Finding> {
  const made = await target.calls();
  if (made === undefined) return noConsent(target);
  const answered = made.calls
    .filter(({ answer }) => !isNoAnswer(answer))
    .toSorted((a, b) => a.durationMs - b.durationMs);
  for (const call of answered.filter(({ durationMs }) => durationMs >= longCallMs)) {
    const found = await interruptOne(target, { call, afterMs: longCallMs / 2, stop });
    if (found !== undefined) return found;
  }
  const slowest = orAny ? answered.at(-1) : undefined;
  const noneRuns = `no tool that may be called runs for ${inSeconds(longCallMs)}`;
  const found = slowest && (await interruptOne(target, { call: slowest, afterMs: 0, stop }));
  if (found?.status === "fail") return found;
  return found
    ? pass(`the session goes on; whether a running tool can be called again is not known: ${noneRuns}`)
    : notApplicable(noneRuns);
}

interface Interruption {
  readonly call: MadeCall;
  /** In milliseconds after the call. 0: whether it is done already or not. */
  readonly afterMs: number;
  readonly stop: (ready: ReadySession) => Promise<ReadySession | void>;
}

/** `undefined`: the call was done before it could be interrupted. */
async function interruptOne(target: ServerTarget, { call, afterMs, stop }: Interruption): Promise<Finding | undefined> {
  const { tool, durationMs } = call;
  const timeoutMs = Math.max(lockedMs, 10 * durationMs);
  const params = { name: tool.name, arguments: tool.args };
  const ready = await target.openReady();
  let isDone = false;
  // Not waited for: over HTTP the response to this comes when the tool is done.
  void ready.request("tools/call", params, { id: interruptedId, timeoutMs }).then(() => (isDone = true));
  await delay(afterMs);
  // It was slow before because the machine was.
  if (isDone && afterMs > 0) return undefined;
  const next = (await stop(ready)) ?? ready;
  const after = await next.probe();
  if (after.kind !== "result") return fail(`after a call of ${tool.name} was interrupted: ${describeAnswer(after)}`);
  if (call.answer.kind === "silence") return pass(`a probe was answered after a call of ${tool.name} was interrupted`);
  const again = await next.request("tools/call", params, { timeoutMs });
  return again.kind !== "silence" && !isNoAnswer(again)
    ? pass(`${tool.name} was interrupted, and answered the next call`)
    : fail(`the call of ${tool.name} after one that was interrupted: ${describeAnswer(again)}`);
}
