import type { FaultAction, JsonObject } from "@hostside/fixtures";
import { legacySpec } from "../../server/checks/define-check.ts";
import { scenariosOf, type HostScenario } from "../host-scenario.ts";
import { everywhere, overHttp, overStdio, stdioAndHttp } from "../host-venue.ts";
import { must } from "../violation.ts";
import {
  callInVain,
  callUntilItWorks,
  callWell,
  describeCall,
  mustHaveRun,
  onCallWith,
  succeeded,
  ruleOn,
} from "./judge-calls.ts";

/** The deadline of calls that get no answer. */
const shortMs = 700;

const oversized: FaultAction = {
  type: "respond",
  text: [
    '{"jsonrpc":"2.0","id":{{id}},"result":{"resultType":"complete","content":[{"type":"text","text":"',
    { repeat: "x", times: 16 * 1024 * 1024 },
    '"}]}}',
  ],
};

/**
 * Answers that are missing, wrong, twice, cut off, or too large: the call is over in time, and the
 * next one works.
 */
export const surviveAnswers: readonly HostScenario[] = scenariosOf("survive", {
  "lists-and-calls": {
    title: "Lists the tools of a good server, and a call runs once and brings its result",
    level: "MUST",
    source: legacySpec("server/tools", "Tools"),
    legal: ["both tools are in the snapshot; the call ran exactly once with these arguments and brought its text"],
    fix: "Start here: nothing else is judged before this works.",
    over: everywhere,
    async run(stage) {
      const alpha = await stage.start();
      await stage.tool(alpha, "echo");
      await callWell(stage, alpha, `hello ${Math.floor(stage.random() * 1e9)}`);
      return "listed two tools, and ran one once";
    },
  },
  "silent-call": {
    title: "A call that is never answered is over by its deadline, and the next one works",
    level: "MUST",
    source: legacySpec("basic/lifecycle", "Timeouts"),
    legal: ["an error by the deadline; then a call that works"],
    fix: "Give every request a deadline that the host owns, and keep the session when it passes.",
    over: ["stdio", "http", "http-2026", "sse"],
    async run(stage) {
      const alpha = await stage.start({ rules: [onCallWith("silence")] });
      const seen = await callInVain(stage, alpha, { text: "silence", timeoutMs: shortMs });
      await callWell(stage, alpha, "after silence");
      return seen;
    },
  },
  "answer-with-wrong-id": {
    title: "An answer to no request is matched with no request",
    level: "MUST",
    source: legacySpec("basic", "Responses"),
    legal: ["an error by the deadline, and the stray answer is nobody's result; then a call that works"],
    fix: "Look answers up by their exact id. Ignore and count those that answer nothing.",
    over: stdioAndHttp,
    async run(stage) {
      const stray = { id: 987_654, result: { content: [{ type: "text", text: "stray" }] } };
      const alpha = await stage.start({ rules: [onCallWith("mine", { type: "respond", message: stray })] });
      const seen = await callInVain(stage, alpha, { text: "mine", timeoutMs: shortMs });
      await callWell(stage, alpha, "after the stray");
      return seen;
    },
  },
  "malformed-answer": {
    title: "A malformed answer ends its own call by the deadline, and nothing else",
    level: "MUST",
    legal: ["an error by the deadline for each; then a call that works"],
    fix: "Settle the request when its answer is malformed; do not drop the answer and wait.",
    over: ["stdio", "http", "http-2026"],
    async run(stage) {
      const answers: readonly JsonObject[] = [
        { result: null },
        { result: { content: [] }, error: { code: 1, message: "both" } },
        { error: { code: "text", message: 5 } },
      ];
      const rules = answers.map((message) => onCallWith(JSON.stringify(message), { type: "respond", message }));
      const alpha = await stage.start({ rules });
      const seen: string[] = [];
      for (const answer of answers)
        seen.push(await callInVain(stage, alpha, { text: JSON.stringify(answer), timeoutMs: shortMs }));
      await callWell(stage, alpha, "after malformed answers");
      return seen.join("; ");
    },
  },
  "answered-twice": {
    title: "Of two answers to one call the first counts, and the second is nobody's",
    legal: ["the first answer; then the next call gets its own"],
    fix: "Forget a request when it is answered.",
    over: overStdio,
    async run(stage) {
      const second = { result: { content: [{ type: "text", text: "second answer" }] } };
      const twice = onCallWith("first", { type: "proceed" }, { type: "respond", message: second });
      const alpha = await stage.start({ rules: [twice] });
      await callWell(stage, alpha, "first");
      await callWell(stage, alpha, "next");
      return "each call got its own answer";
    },
  },
  "oversized-answer": {
    title: "An answer of 16 MiB ends its call in time, and the next one works",
    legal: ["the result, or an error, by the deadline; then a call that works, in a new session if need be"],
    fix: "Bound the bytes of one message, fail the call that it answers, and connect again if the stream is lost.",
    over: stdioAndHttp,
    async run(stage) {
      const alpha = await stage.start({ rules: [onCallWith("much", oversized)] });
      const reported = await stage.call(alpha, { text: "much" });
      await callUntilItWorks(stage, alpha);
      return reported.ok ? "took the whole answer" : describeCall(reported);
    },
  },
  "http-errors": {
    title: "HTTP errors and pages that are no answer end the call, which is not sent again",
    level: "MUST",
    legal: ["an error for each; each call was sent once; then a call that works"],
    fix: "Read the status and the content type before the body. Never repeat a call that may have run.",
    over: overHttp,
    async run(stage) {
      const html = { "content-type": "text/html" };
      const pages: readonly FaultAction[] = [
        { type: "http", status: 500, body: "oops" },
        { type: "http", status: 200, headers: html, body: "<h1>Sign in</h1>" },
        { type: "http", status: 200, headers: { "content-type": "application/json" }, body: '{"jsonrpc":"2.0",' },
      ];
      const rules = pages.map((page, i) => onCallWith(`page ${i}`, page));
      const alpha = await stage.start({ rules });
      for (const i of pages.keys()) await callInVain(stage, alpha, { text: `page ${i}`, timeoutMs: shortMs });
      const sent = alpha.received("tools/call").length;
      must(sent === pages.length, `${pages.length} calls were sent ${sent} times`);
      await callWell(stage, alpha, "after the pages");
      return "an error for each, and each was sent once";
    },
  },
  "stream-cut": {
    title: "A stream that ends before the answer ends the call, which is not sent again",
    level: "MUST",
    legal: ["an error by the deadline; the call ran once; then a call that works"],
    fix: "When the stream of a request ends without its answer, tell the caller that the outcome is unknown.",
    over: overHttp,
    async run(stage) {
      const cut = onCallWith("cut", { type: "execute" }, { type: "sse", events: [], end: "cut" });
      const alpha = await stage.start({ rules: [cut] });
      const seen = await callInVain(stage, alpha, { text: "cut", timeoutMs: 1500 });
      await stage.quiet();
      mustHaveRun(alpha, { text: "cut", times: [1] });
      await callWell(stage, alpha, "after the cut");
      return seen;
    },
  },
  "stdout-anomalies": {
    title: "Lines on stdout that are no messages are skipped",
    legal: ["everything works as if they were not there"],
    fix: "Skip and count lines that are no JSON-RPC; do not give the session up for a banner.",
    over: overStdio,
    async run(stage) {
      const anomalies: FaultAction = { type: "write", bytes: 'Welcome!\n\n{"half": \n[]\nnull\n"text"\r\n' };
      const rules = [ruleOn("start", anomalies), ruleOn("tools/call", anomalies, { type: "proceed" })];
      const alpha = await stage.start({ rules });
      await callWell(stage, alpha, "through the noise");
      return "the call came through";
    },
  },
  "stderr-flood": {
    title: "20 MiB on stderr hold nothing up",
    level: "MUST",
    source: legacySpec("basic/transports", "stdio"),
    legal: ["the call works"],
    fix: "Always read stderr, and keep only its end.",
    over: ["stdio"],
    async run(stage) {
      const bytes = { repeat: "log line ", times: 128 * 1024 };
      const flood: FaultAction = { type: "write", to: "stderr", bytes, times: 20 };
      const alpha = await stage.start({ rules: [onCallWith("through the flood", flood, { type: "proceed" })] });
      await callWell(stage, alpha, "through the flood");
      return "the call came through";
    },
  },
  "slow-bytes": {
    title: "A message in small pieces, characters split, is one message",
    level: "MUST",
    legal: ["the text arrives as it was sent"],
    fix: "Decode UTF-8 across reads, and split at newlines only.",
    over: stdioAndHttp,
    async run(stage) {
      const drip: FaultAction = { type: "proceed", framing: { chunkBytes: 5 } };
      const alpha = await stage.start({ rules: [ruleOn("tools/call", drip)] });
      await callWell(stage, alpha, "Größe: 大きさ 🐙 \u2028 end");
      return "the text came through";
    },
  },
  "tool-error": {
    title: "A tool that fails is reported as a result that is an error, not as a broken server",
    level: "MUST",
    source: legacySpec("server/tools", "Error Handling"),
    legal: ["a result with isError, or an error that says what the server said; then a call that works"],
    fix: "Pass isError and the content on; a JSON-RPC error is one call's error.",
    over: stdioAndHttp,
    async run(stage) {
      const failing: readonly FaultAction[] = [
        { type: "respond", message: { result: { content: [{ type: "text", text: "no such line" }], isError: true } } },
        { type: "respond", message: { error: { code: -32_000, message: "no such line" } } },
      ];
      const rules = failing.map((action, i) => onCallWith(`failing ${i}`, action));
      const alpha = await stage.start({ rules });
      const { name } = await stage.tool(alpha);
      for (const i of failing.keys()) {
        const reported = await stage.host.call(name, { text: `failing ${i}` });
        must(!succeeded(reported), `a call that failed brought ${describeCall(reported)}`);
        const isQuoted = JSON.stringify(reported).includes("no such line");
        must(isQuoted, `the server's own words are lost: ${describeCall(reported)}`);
      }
      await callWell(stage, alpha, "after failures");
      return "both failures were told in the server's words";
    },
  },
});
