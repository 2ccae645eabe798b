import type { FaultAction, FaultRule } from "@hostside/fixtures";
import { legacySpec } from "../../server/checks/define-check.ts";
import { scenariosOf, type HostScenario } from "../host-scenario.ts";
import { everywhere, overHttp, overStdio } from "../host-venue.ts";
import type { Stage, Stand } from "../stage.ts";
import { must } from "../violation.ts";
import { remoteTool } from "./consistent-tools.ts";
import {
  callInVain,
  callUntilItWorks,
  callWell,
  describeCall,
  mustHaveRun,
  mustLeaveNoProcess,
  onCallWith,
  succeeded,
  ruleOn,
} from "./judge-calls.ts";
import type { DriverResult } from "../driver-protocol.ts";
import type { Reported } from "../host-driver.ts";

const reconnect =
  "Notice that the server is gone, and connect again with the next call: once, however many calls wait.";

const sendOnce =
  "Send a call again only if it provably never left, or after HTTP 404 to a request that named its session. What a server writes proves nothing.";

const json = { "content-type": "application/json" };
const rpcError = (code: number, message: string): string =>
  JSON.stringify({ jsonrpc: "2.0", id: null, error: { code, message } });

/** Runs the tool of a call with this text, and answers it badly. */
const onRunWith = (text: string, ...actions: FaultAction[]): FaultRule =>
  onCallWith(text, { type: "execute" }, ...actions);

const wordsOfTools = [
  { code: -32_001, message: "Session expired: browser tab closed after submit" },
  { code: -32_001, message: "Session not found" },
  { code: -32_000, message: "Bad Request: Server not initialized" },
];
const badRequests = [
  '{"error":"field session_name is invalid"}',
  '{"error":"invalid session for upstream shop; order placed"}',
  rpcError(-32_000, "Bad Request: No valid session ID provided"),
  rpcError(-32_001, "Session not found"),
];

/** Servers that go away and come back, and calls that ran and were answered as if they had not. */
export const recoverScenarios: readonly HostScenario[] = scenariosOf("recover", {
  "crash-while-idle": {
    title: "After a server crashed between calls, the next call gets a new process",
    legal: ["calls work again, and none ran twice"],
    fix: reconnect,
    over: overStdio,
    async run(stage) {
      const alpha = await stage.start();
      await callWell(stage, alpha, "before the crash");
      await crash(stage, alpha);
      const attempts = await callUntilItWorks(stage, alpha);
      mustHaveRun(alpha, { text: "before the crash", times: [1] });
      return `worked again at attempt ${attempts}`;
    },
  },
  "crash-during-call": {
    title: "A call that ran when its server crashed is not run again",
    level: "MUST",
    legal: ["an error, and the call ran exactly once"],
    fix: "Send a call again only if it provably never left. Tell the caller that the outcome is unknown.",
    over: overStdio,
    async run(stage) {
      const dying = onCallWith("at most once", { type: "execute" }, { type: "exit", code: 7 });
      const alpha = await stage.start({ rules: [dying] });
      const { name } = await stage.tool(alpha);
      const seen = await callInVain(stage, alpha, "at most once");
      // A host that sends it again does so by now, or when it has connected again. Whether it
      // connects is judged elsewhere.
      await stage.quiet();
      await stage.host.call(name, { text: "next" });
      mustHaveRun(alpha, { text: "at most once", times: [1] });
      return seen;
    },
  },
  "crash-is-noticed": {
    title: "A crash during a call ends the call at once, also when a grandchild holds the pipe",
    legal: ["an error long before the deadline of the call"],
    fix: "Listen for the exit of the process; its pipes may stay open.",
    over: ["stdio"],
    async run(stage) {
      const fork: FaultAction = { type: "fork", keeps: ["stdout", "stderr"] };
      const alpha = await stage.start({ rules: [onCallWith("crash", fork, { type: "exit", signal: "SIGKILL" })] });
      const call = await stage.startCall(alpha, { text: "crash" }, { timeoutMs: stage.patienceMs * 3 });
      const reported = await stage.happens("the call still waits for a process that is gone", call.settled);
      must(!succeeded(reported), `a call that cannot have worked brought ${describeCall(reported)}`);
      return describeCall(reported);
    },
  },
  "reset-during-call": {
    title: "A call whose connection was reset after it ran is not run again",
    level: "MUST",
    legal: ["an error, and the call ran exactly once; then a call that works"],
    fix: "Send a call again only if it provably never left. Tell the caller that the outcome is unknown.",
    over: ["http", "http-2026"],
    async run(stage) {
      const rules = [ruleOn({ on: "tools/call", nth: 1 }, { type: "execute" }, { type: "reset" })];
      const alpha = await stage.start({ rules });
      const seen = await callInVain(stage, alpha, "at most once");
      await stage.quiet();
      mustHaveRun(alpha, { text: "at most once", times: [1] });
      await callWell(stage, alpha, "after the reset");
      return seen;
    },
  },
  "callers-share-a-reconnect": {
    title: "Callers that find the server gone share one new process",
    legal: ["every call ends, none ran twice, and one process was started"],
    fix: "Let callers that race join the connection attempt that is under way.",
    over: ["stdio"],
    async run(stage) {
      const alpha = await stage.start();
      await callWell(stage, alpha, "before the crash");
      // A host may use more than one process to connect, because it asks for the era first.
      const perConnection = processesOf(alpha).size;
      await crash(stage, alpha);
      const { name } = await stage.tool(alpha);
      const texts = Array.from({ length: 8 }, (_, i) => `caller ${i}`);
      const all = await Promise.all(texts.map((text) => stage.host.call(name, { text })));
      for (const [i, text] of texts.entries()) {
        mustHaveRun(alpha, { text, times: all[i]?.ok === true ? [1] : [0, 1] });
      }
      await callUntilItWorks(stage, alpha);
      const started = processesOf(alpha).size - perConnection;
      must(started <= perConnection, `${started} processes were started; connecting takes ${perConnection}`);
      return `${all.filter(succeeded).length} of ${all.length} calls worked, over one new process`;
    },
  },
  "session-expired": {
    title: "A session that the server forgot is opened again, and the refused call is sent again once",
    level: "MUST",
    source: legacySpec("basic/transports", "Session Management"),
    legal: ["the call works, and ran once; there was one new handshake"],
    fix: "On 404 with a session id, start a new session with initialize; the call was refused before it ran.",
    over: ["http"],
    async run(stage) {
      const alpha = await stage.start();
      await callWell(stage, alpha, "before");
      await alpha.server.perform([{ type: "session", change: "expire" }]);
      await callWell(stage, alpha, "after");
      const handshakes = alpha.received("initialize").length;
      must(handshakes === 2, `there were ${handshakes} handshakes, not 2`);
      return "one new handshake, and the call ran once";
    },
  },
  "session-always-expired": {
    title: "A server that forgets every session does not make the host loop",
    legal: ["an error by the deadline, after at most three attempts; then a call that works"],
    fix: "Try again once; then tell the caller.",
    over: ["http"],
    async run(stage) {
      const refusal: FaultAction = { type: "http", status: 404, body: "no such session" };
      const alpha = await stage.start({
        rules: [onCallWith("refused", { type: "session", change: "expire" }, refusal)],
      });
      const seen = await callInVain(stage, alpha, "refused");
      const sent = alpha.received("tools/call").length;
      must(sent <= 3, `the call was sent ${sent} times`);
      await callUntilItWorks(stage, alpha);
      return seen;
    },
  },
  "server-restarted": {
    title: "A server that was restarted behind the same URL is used again",
    legal: ["calls work again, and none ran twice"],
    fix: "Treat a lost session and a lost stream as reasons to connect again.",
    over: ["http", "http-2026", "sse"],
    async run(stage) {
      const alpha = await stage.start();
      await callWell(stage, alpha, "before the restart");
      must("restart" in alpha.server, "this venue has no server that can be restarted");
      await alpha.server.restart();
      const attempts = await callUntilItWorks(stage, alpha);
      return `worked again at attempt ${attempts}`;
    },
  },
  "tools-after-reconnect": {
    title: "After a reconnect the tools are those of the new process",
    legal: ["a tool that only the new process has is in the snapshot after the next call that works"],
    fix: "List again after every reconnect: the server may have been updated.",
    over: ["stdio"],
    async run(stage) {
      const tools = [remoteTool("append"), remoteTool("of-process-{{process}}")];
      const rules = [ruleOn("tools/list", { type: "respond", message: { result: { tools } } })];
      const alpha = await stage.start({ rules });
      await callWell(stage, alpha, "before the crash");
      await crash(stage, alpha);
      await callUntilItWorks(stage, alpha);
      await stage.tool(alpha, `of-process-${Math.max(...processesOf(alpha))}`);
      return "the tools are those of the new process";
    },
  },
  "server-is-late": {
    title: "A server that cannot be started at first is used once it can",
    legal: ["after a refresh, or by itself, the tools are there and calls work"],
    fix: "Never treat a failed start as final.",
    over: ["stdio"],
    uses: ["refresh"],
    async run(stage) {
      const rules = [ruleOn({ on: "start", where: { process: 1 } }, { type: "exit", code: 1 })];
      const alpha = await stage.start({ rules });
      await stage.eventually("its tools never come, also after refreshes", async () => {
        await stage.host.refresh();
        return (await stage.host.snapshot()).tools.length > 0;
      });
      await callWell(stage, alpha, "better late");
      return "worked after a refresh";
    },
  },
  "error-about-sessions": {
    title: "A call that is answered with an error about some session is not run again",
    level: "MUST",
    legal: ["an error, and the call ran exactly once; then a call that works"],
    fix: sendOnce,
    over: everywhere,
    async run(stage) {
      const rules = wordsOfTools.map((error, i) => onRunWith(`order ${i}`, { type: "respond", message: { error } }));
      return callEachOnce(stage, rules);
    },
  },
  "bad-request-about-sessions": {
    title: "A call that is answered with HTTP 400 and words about some session is not run again",
    level: "MUST",
    legal: ["an error, and the call ran exactly once; then a call that works"],
    fix: sendOnce,
    over: overHttp,
    async run(stage) {
      const rules = badRequests.map((body, i) =>
        onRunWith(`order ${i}`, { type: "http", status: 400, headers: json, body }),
      );
      return callEachOnce(stage, rules);
    },
  },
  "cut-answer-of-lost-session": {
    title: "A call whose answer had begun is not run again, though its session was replaced meanwhile",
    level: "MUST",
    legal: ["an error that does not say that the call did not run, and it ran exactly once"],
    fix: "Once a reply has begun, the request was sent, whatever breaks afterwards and whatever happened to the session.",
    over: ["http"],
    async run(stage) {
      const cut: FaultAction[] = [
        { type: "http", status: 200, headers: json, body: '{"jsonrpc":"2.0",', end: "open" },
        { type: "hold", barrier: "the other call" },
        { type: "reset" },
      ];
      const alpha = await stage.start({ rules: [onRunWith("at most once", ...cut)] });
      const { name } = await stage.tool(alpha);
      const call = stage.host.startCall(name, { text: "at most once" }, { timeoutMs: stage.patienceMs * 3 });
      await stage.happens("the call never comes", alpha.server.reached("the other call"));
      await alpha.server.perform([{ type: "session", change: "expire" }]);
      // A good host connects again for this one; whether it does is judged elsewhere.
      await stage.host.call(name, { text: "next" });
      alpha.server.release("the other call");
      const reported = await stage.happens("the call still waits for a connection that was reset", call.settled);
      mustBeOpen(reported);
      await stage.quiet();
      mustHaveRun(alpha, { text: "at most once", times: [1] });
      return describeCall(reported);
    },
  },
  "refused-to-resume": {
    title: "A call whose stream may not be resumed for want of credentials is reported as one that may have run",
    level: "MUST",
    legal: ["an error that does not say that the call did not run, and it ran exactly once"],
    fix: "A server that answered with a stream has taken the call: what keeps the rest of the stream away says nothing of the call.",
    over: ["http"],
    async run(stage) {
      const rules: readonly FaultRule[] = [
        onRunWith("at most once", { type: "sse", events: [{ id: "e-1", retry: 10, data: "" }] }),
        ruleOn(
          { on: "GET", where: { "http.headers.last-event-id": "e-1" } },
          { type: "http", status: 401, headers: { "www-authenticate": 'Bearer error="invalid_token"' } },
        ),
      ];
      const alpha = await stage.start({ rules });
      const reported = await stage.call(alpha, { text: "at most once" });
      mustBeOpen(reported);
      await stage.quiet();
      mustHaveRun(alpha, { text: "at most once", times: [1] });
      return describeCall(reported);
    },
  },
});

function processesOf(stand: Stand): ReadonlySet<number> {
  return new Set(stand.received().map(({ process }) => process));
}

async function crash(stage: Stage, stand: Stand): Promise<void> {
  // Nobody is left to say that it is done.
  void stand.server.perform([{ type: "exit", code: 7 }]).catch(() => {});
  await mustLeaveNoProcess(stage, stand);
}

async function callEachOnce(stage: Stage, rules: readonly FaultRule[]): Promise<string> {
  const alpha = await stage.start({ rules });
  const texts = rules.map((_, i) => `order ${i}`);
  for (const text of texts) {
    const reported = await stage.call(alpha, { text });
    must(!succeeded(reported), `a call that was answered with an error brought ${describeCall(reported)}`);
    const isDenied = !reported.ok && reported.error.outcome === "not-sent";
    must(!isDenied, `a call that was answered is said not to have been sent: ${describeCall(reported)}`);
  }
  // A host that sends one again does so by now, or when it has connected again.
  await stage.quiet();
  await callUntilItWorks(stage, alpha);
  for (const text of texts) mustHaveRun(alpha, { text, times: [1] });
  return `${texts.length} calls that were answered with errors ran once each`;
}

function mustBeOpen(reported: Reported<DriverResult>): void {
  must(!succeeded(reported), `a call that cannot have worked brought ${describeCall(reported)}`);
  const outcome = reported.ok ? undefined : reported.error.outcome;
  must(
    outcome === undefined || outcome === "unknown",
    `nobody knows whether the call ran, and the host says ${outcome}: ${describeCall(reported)}`,
  );
}
