import type { FaultAction, FaultRule } from "@hostside/fixtures";
import type { DriverResult } from "../driver-protocol.ts";
import type { Reported } from "../host-driver.ts";
import { scenariosOf, type HostScenario } from "../host-scenario.ts";
import { everywhere, overHttp } from "../host-venue.ts";
import type { Stage } from "../stage.ts";
import { must } from "../violation.ts";
import { callUntilItWorks, describeCall, mustHaveRun, onCallWith, succeeded } from "./judge-calls.ts";

const fix =
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

/** Calls that ran, and were answered as if they had not. */
export const sendOnceScenarios: readonly HostScenario[] = scenariosOf("recover", {
  "error-about-sessions": {
    title: "A call that is answered with an error about some session is not run again",
    level: "MUST",
    legal: ["an error, and the call ran exactly once; then a call that works"],
    fix,
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
    fix,
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
        {
          on: "GET",
          where: { "http.headers.last-event-id": "e-1" },
          do: [{ type: "http", status: 401, headers: { "www-authenticate": 'Bearer error="invalid_token"' } }],
        },
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
