import { setTimeout as delay } from "node:timers/promises";
import { describeEnd } from "../stdio-session.ts";
import type { Finding } from "../../engine/check.ts";
import { inSeconds } from "../../engine/in-seconds.ts";
import type { StdioSession } from "../raw-session.ts";
import { describeAnswer } from "../handshake.ts";
import { endGraceMs } from "../orderly-end.ts";
import { shakeHands, type ReadySession } from "../ready-session.ts";
import { deathOf } from "../server-target.ts";
import { secondProcessId, startSecondProcess } from "../second-process.ts";
import {
  fail,
  pass,
  notKnown,
  preventedBy,
  defineChecks,
  legacySpec,
  hostAdvice,
  jsonRpcErrors,
  type ServerCheck,
} from "./define-check.ts";

const transports = "basic/transports#stdio";
const shutdown = "basic/lifecycle#stdio";

const slowStartMs = 5000;
// Long enough that a reader has most likely taken one piece before the next comes.
const cutPauseMs = 40;
const mostStderr = 64 * 1024;

/** How a server behaves as a process. */
export const stdioChecks: readonly ServerCheck[] = defineChecks("stdio", ["lifecycle/goes-on"], {
  "stdio/stdout-purity": {
    title: "Nothing but MCP messages is written to stdout",
    level: "MUST",
    rule: "A server writes nothing to its stdout that is not a valid MCP message.",
    source: legacySpec(transports, "Transports, stdio"),
    legal: ["every line of stdout is a JSON-RPC 2.0 message, in every process of the run, also while tools run"],
    fix: "Log to stderr: in Node, console.error instead of console.log; in Python, logging to sys.stderr. Look at libraries that print a banner, and at child processes, whose output goes there, too, if they inherit it.",
    needs: [],
    when: "end",
    run: async (target) => {
      let count = 0;
      const found = await target.judgeSessions((session) => {
        const [first] = (session as StdioSession).anomalies;
        if (first === undefined) return undefined;
        count += (session as StdioSession).anomalies.length;
        const since = first.after === undefined ? "before anything was sent" : `after ${first.after}`;
        return `${since}, at byte ${first.offset}: ${JSON.stringify(first.text)}`;
      });
      if (found[0] === undefined) return pass("stdout held only messages");
      const more = count > 1 ? ` (${count} such lines in ${counted(found.length, "process", "processes")})` : "";
      return fail(`${found[0]}${more}`);
    },
  },
  "stdio/unexpected-exit": {
    title: "The process ends only when it is asked to",
    level: "HOST",
    rule: "A host loses the session, and all calls under way, with a process that ends by itself.",
    source: hostAdvice("unexpected-exit"),
    legal: ["the process runs until its stdin ends or a signal comes", "it ends with code 0 while no request waits"],
    fix: "Look at the end of its stderr: an exception or rejection that nobody catches, after the answer was sent or in a timer, is the usual cause.",
    needs: [],
    when: "end",
    run: async (target, { earlier = [] }) => {
      const reported = earlier.find(
        ({ finding }) => finding.status === "fail" && /process ended/.test(finding.observed),
      );
      if (reported) return preventedBy(reported.check.id);
      const found = await target.judgeSessions(deathOf);
      if (found[0] === undefined) return pass("no process ended by itself");
      return fail(
        `${counted(found.length, "process", "processes")} ended without being asked to: the first with ${found[0]}`,
      );
    },
  },
  "stdio/exits-on-end-of-input": {
    title: "The process ends by itself, with code 0, when its stdin ends",
    level: "SHOULD",
    rule: "A client shuts a server down by closing its input stream and waiting for it to exit.",
    source: legacySpec(shutdown, "Lifecycle, shutdown over stdio"),
    legal: ["the process ends within two seconds after its stdin ended, with code 0"],
    fix: "Exit when stdin ends: close what keeps the process alive (timers, sockets, watchers), or call the runtime's exit function there.",
    run: async (target) => {
      const { end, session, tookMs } = await target.orderlyEnd();
      if (session.death !== undefined) return notKnown(`the process ended before its stdin did: ${session.death}`);
      if (end === undefined) return fail("still running two seconds after its stdin ended");
      if (end.exitCode === 0) return pass(describeEnd(end));
      return fail(
        `ended ${(tookMs / 1000).toFixed(1)} s after its stdin, with ${describeEnd(end)}`,
        "End with code 0: hosts report any other code as a crash. Look at what fails on the way out; stderr usually says so.",
      );
    },
  },
  "stdio/exits-on-sigterm": {
    title: "The process ends on SIGTERM",
    level: "SHOULD",
    rule: "When the server does not exit in time, the client sends SIGTERM, and only then SIGKILL.",
    source: legacySpec(shutdown, "Lifecycle, shutdown over stdio"),
    legal: ["the process ends within two seconds after SIGTERM, with any code or by the signal"],
    fix: "Do not ignore SIGTERM; a handler that cleans up must end the process afterwards. A wrapper (npx, a shell) must pass the signal on.",
    run: async (target) => {
      const session = await target.open<StdioSession>();
      await shakeHands(session, target);
      session.kill("SIGTERM");
      const end = await session.ended(endGraceMs);
      return end ? pass(`ended with ${describeEnd(end)}`) : fail("still running two seconds after SIGTERM");
    },
  },
  "stdio/leaves-no-process-behind": {
    title: "No other process of the server outlives it",
    level: "HOST",
    rule: "A host can only wait for the process that it started; what that one started must go with it.",
    source: hostAdvice("leftover-processes"),
    legal: [
      "when the server has ended after the end of its stdin, nothing that it started runs any more, detached or not",
    ],
    fix: "End your own children before you exit, also those that are detached, or start them so that they notice the end of a pipe you hold.",
    needs: ["stdio/exits-on-end-of-input"],
    run: async (target) => {
      const { left } = await target.orderlyEnd();
      return left.length === 0 ? pass("nothing was left") : fail(`left behind: process ${left.join(", ")}`);
    },
  },
  [secondProcessId]: {
    title: "A second process leaves the first one alone",
    level: "HOST",
    rule: "Each window of an editor, and each host, starts a process of its own.",
    source: hostAdvice("second-process"),
    legal: ["two processes of the server run at the same time, and both answer"],
    fix: "Do not end whatever listens on your port; take a free port where a fixed one is in use, or share the process that has it.",
    needs: ["lifecycle/initialize"],
    when: "alone",
    run: startSecondProcess,
  },
  "stdio/split-writes": {
    title: "A message may arrive in pieces",
    level: "MUST",
    rule: "Messages are delimited by newlines; a pipe may cut them anywhere, also inside a multi-byte character.",
    source: legacySpec(transports, "Transports, stdio"),
    legal: ["a request that arrives in five pieces is answered like any other"],
    fix: "Collect bytes until a newline, then decode: do not parse each chunk by itself.",
    needs: ["requests/ids"],
    run: async (target) => {
      const ready = await target.openReady();
      const bytes = new TextEncoder().encode(probeMessage(ready, "split-é😀"));
      // Cut inside the two-byte and inside the four-byte character, too.
      const cuts = [0, 8, bytes.indexOf(0xc3) + 1, bytes.indexOf(0xf0) + 2, bytes.length - 1, bytes.length];
      for (const [n, cut] of cuts.slice(1).entries()) {
        if (n > 0) await delay(cutPauseMs);
        await asStdio(ready).writeBytes([bytes.slice(cuts[n], cut)]);
      }
      return isAnswered(ready, "split-é😀", { manner: "in five pieces", answerMs: target.answerMs });
    },
  },
  "stdio/merged-writes": {
    title: "Several messages may arrive at once",
    level: "MUST",
    rule: "Messages are delimited by newlines, not by reads.",
    source: legacySpec(transports, "Transports, stdio"),
    legal: ["a request that arrives in one write with a notification gets its answer"],
    fix: "Split what you read at newlines and handle every line, not just the first.",
    needs: ["requests/probe"],
    run: async (target) => {
      const ready = await target.openReady();
      const notification = '{"jsonrpc":"2.0","method":"notifications/hostside-merged"}\n';
      await asStdio(ready).writeBytes([notification + probeMessage(ready, "merged")]);
      return isAnswered(ready, "merged", { manner: "with a notification", answerMs: target.answerMs });
    },
  },
  "stdio/survives-garbage": {
    title: "A line that is no JSON does not end the server",
    level: "SHOULD",
    rule: "A parse error is answered with -32700 or ignored; it concerns that line alone.",
    source: jsonRpcErrors,
    legal: ["after a line of garbage and a blank line, a request is answered"],
    fix: "Catch the parse error of each line; answer -32700 with id null, or skip the line.",
    needs: ["requests/probe"],
    run: async (target) => {
      const ready = await target.openReady();
      const session = asStdio(ready);
      await session.writeBytes(["this is no JSON\n", "\n", '{"jsonrpc":"2.0"\n']);
      const answer = await ready.probe();
      return answer.kind === "result"
        ? pass("answered the next request")
        : fail(`after garbage: ${describeAnswer(answer)}`);
    },
  },
  "stdio/time-to-initialize": {
    title: `The first answer comes within ${slowStartMs / 1000} seconds`,
    level: "HOST",
    rule: "Hosts start their servers when a session begins, and give up on those that are not ready soon.",
    source: hostAdvice("time-to-initialize"),
    legal: [
      `initialize is answered within ${inSeconds(slowStartMs)} after the start of the process, or later on a busy machine`,
    ],
    fix: "Answer initialize first, and load models, caches and connections afterwards, or with the first call that needs them.",
    run: async ({ first }) => {
      if (first === undefined) return notKnown("the first handshake failed");
      const took = inSeconds(first.tookMs);
      if (first.tookMs <= slowStartMs) return pass(took);
      const observed = `initialize was answered after ${took}`;
      return first.tookMs <= slowStartMs * (await first.slowdown)
        ? notKnown(`${observed}, on a busy machine; try this check again when it has nothing else to do`)
        : fail(observed);
    },
  },
  "stdio/stderr-volume": {
    title: `Less than ${mostStderr / 1024} KiB of stderr for a handshake and a listing`,
    level: "HOST",
    rule: "Hosts keep the end of stderr to explain a failure; a host that does not read it stops the server when the pipe is full.",
    source: hostAdvice("stderr-volume"),
    legal: [`at most ${mostStderr} bytes`],
    fix: "Log what went wrong, and the rest only when a debug option asks for it.",
    run: async (target) => {
      await target.listing();
      const session = asStdio(await target.shared());
      const { stderrBytes } = session;
      return stderrBytes <= mostStderr ? pass(`${stderrBytes} bytes`) : fail(`${stderrBytes} bytes`);
    },
  },
});

/** From now on: how long a request took to be written says nothing of the server. */
async function isAnswered(
  { session }: ReadySession,
  request: string,
  { manner, answerMs }: { readonly manner: string; readonly answerMs: number },
): Promise<Finding> {
  const answer = await session.waitFor(({ id }) => id === request, answerMs);
  return answer
    ? pass("answered")
    : fail(`no answer to a request that arrived ${manner} within ${inSeconds(answerMs)}`);
}

function counted(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}

// The checks of this file run only over stdio, where every session has a process.
function asStdio({ session }: ReadySession): StdioSession {
  return session as StdioSession;
}

/** A line with a probe. */
function probeMessage({ probeMethod, envelop }: ReadySession, id: string): string {
  return `${JSON.stringify({ jsonrpc: "2.0", id, method: probeMethod(), params: envelop() })}\n`;
}
