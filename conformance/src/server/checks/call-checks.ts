import type { JsonObject, JsonValue } from "@hostside/core";
import { isJsonObject } from "@hostside/core/implement";
import type { Finding } from "../../engine/check.ts";
import {
  callTool,
  adviseConsent,
  consentedTools,
  type MadeCall,
  type ToolCalls,
  type ConsentedTool,
} from "../consented-tools.ts";
import { createSchemaCompiler, type SchemaCompiler } from "../compile-schema.ts";
import { describeAnswer, excerpt } from "../handshake.ts";
import type { Answer, StdioSession } from "../raw-session.ts";
import type { ServerTarget } from "../server-target.ts";
import {
  fail,
  pass,
  notApplicable,
  defineChecks,
  legacySpec,
  hostAdvice,
  type CheckInit,
  type ServerCheck,
  isRefusal,
} from "./define-check.ts";

const page = "server/tools";
const mostNamed = 3;
const otherKind = notApplicable("no tool that may be called is of this kind");

/** How a server's tools behave when they are called. Only tools with consent are. */
export const callChecks: readonly ServerCheck[] = defineChecks("any", ["tools/list"], {
  "calls/unknown-tool": {
    title: "A call of a tool that does not exist is refused",
    level: "MUST",
    rule: "Unknown tools are a protocol error; older servers report them as a failed result.",
    source: legacySpec(`${page}#error-handling`, "Tools, error handling"),
    legal: ["error -32602, or another JSON-RPC error", "a result with isError"],
    fix: "Look the name up and answer -32602 with it.",
    run: (target) =>
      target.lend(async ({ request }) => {
        const answer = await request("tools/call", { name: "hostside-no-such-tool", arguments: {} });
        return isRefusal(answer) ? pass(describeAnswer(answer)) : fail(describeAnswer(answer));
      }),
  },
  "calls/answered": aboutCalls({
    title: "A call is answered, or the tool is just slow",
    level: "MUST",
    rule: "Every request is answered with a result or an error; a tool may take its time.",
    source: legacySpec("basic#responses", "Base protocol, responses"),
    legal: [
      "a result or an error",
      "no answer yet from a tool that is at work, while the server answers other requests",
    ],
    fix: "Catch what the tool throws and answer with isError; do not end the process, and do not block the loop that reads requests.",
    async judge({ calls, ready }) {
      const broken = calls.flatMap(({ tool, answer }) =>
        isNoAnswer(answer) ? [`${tool.name}: ${describeAnswer(answer)}`] : [],
      );
      if (broken.length > 0) return broken;
      const slow = calls.filter(({ answer }) => answer.kind === "silence");
      if (slow.length === 0) return [];
      const after = await ready.probe();
      return after.kind === "result"
        ? []
        : [`while ${slow.map(({ tool }) => tool.name).join(", ")} ran, the server gave ${describeAnswer(after)}`];
    },
  }),
  "calls/result-content": aboutCalls({
    title: "A result has content that hosts understand",
    level: "MUST",
    rule: "A result has a content array of typed blocks; isError, if there, is a boolean.",
    source: legacySpec(`${page}#tool-result`, "Tools, tool result"),
    legal: [
      "content is an array of objects with a type, text blocks have text, media blocks have data and mimeType",
      "a JSON-RPC error, if the arguments are not to its liking",
    ],
    fix: "Return { content: [{ type: 'text', text }] } even when the result is structured.",
    judge: ({ calls }) => problemsOf(calls, ({ answer }) => answer.kind === "result" && contentProblem(answer.result)),
  }),
  "calls/output-matches-schema": aboutCalls({
    title: "Structured results match the output schema",
    level: "MUST",
    rule: "A tool with an output schema returns structured results that conform to it.",
    source: legacySpec(`${page}#output-schema`, "Tools, output schema"),
    legal: ["structuredContent is valid against outputSchema", "a result with isError", "a JSON-RPC error"],
    fix: "Validate what you return against the schema that you publish; clients of the official SDKs refuse the result otherwise.",
    applies: ({ tool }) => isJsonObject(tool.definition["outputSchema"]),
    judge({ calls }) {
      const compile = createSchemaCompiler();
      return problemsOf(calls, ({ answer, tool }) => outputProblem(answer, tool.definition["outputSchema"], compile));
    },
  }),
  "calls/structured-as-text": aboutCalls({
    title: "A structured result is there as text, too",
    level: "SHOULD",
    rule: "A tool that returns structured content also returns the serialised JSON in a text block.",
    source: legacySpec(`${page}#structured-content`, "Tools, structured content"),
    legal: ["a result with structuredContent has at least one block of content"],
    fix: "Add { type: 'text', text: JSON.stringify(structuredContent) }: many hosts show a model only the content.",
    applies: ({ answer }) =>
      answer.kind === "result" && isJsonObject(answer.result) && answer.result["structuredContent"] !== undefined,
    judge: ({ calls }) =>
      problemsOf(calls, ({ answer }) => {
        const content = answer.kind === "result" && isJsonObject(answer.result) && answer.result["content"];
        return Array.isArray(content) && content.length === 0 && "no content beside the structured one";
      }),
  }),
  "calls/unasked-progress": aboutCalls({
    title: "Progress is only reported to those who asked",
    level: "MUST",
    rule: "Progress notifications refer to a token that was given in an active request.",
    source: legacySpec("basic/utilities/progress#behavior-requirements", "Progress, behavior requirements"),
    legal: ["no notifications/progress for calls without a progress token"],
    fix: "Send progress only when the request's _meta has a progressToken, and with that token.",
    judge({ ready }) {
      const stray = ready.session.unsolicited.find(({ method }) => method === "notifications/progress");
      return stray ? [excerpt(stray)] : [];
    },
  }),
  "calls/stdout-purity": {
    over: "stdio",
    ...aboutCalls({
      title: "Nothing but MCP messages is written to stdout while tools run",
      level: "MUST",
      rule: "A server writes nothing to its stdout that is not a valid MCP message.",
      source: legacySpec("basic/transports#stdio", "Transports, stdio"),
      legal: ["every line of stdout is a JSON-RPC 2.0 message, also while a tool runs"],
      fix: "Look for console.log or print in the tools, and in what they call; the output of child processes goes to stdout, too, if they inherit it.",
      // A session over stdio is one with a process: `over` has made sure.
      judge: ({ ready, anomaliesBefore, calls }) =>
        (ready.session as StdioSession).anomalies
          .slice(anomaliesBefore, anomaliesBefore + 1)
          .map(({ offset, text }) => `while ${namesOf(calls)} ran, at byte ${offset}: ${JSON.stringify(text)}`),
    }),
  },
  "calls/missing-arguments": {
    title: "A call without its required arguments is refused",
    level: "MUST",
    rule: "Servers validate all tool inputs.",
    source: legacySpec(`${page}#security-considerations`, "Tools, security considerations"),
    legal: ["error -32602, or another JSON-RPC error", "a result with isError that says what is missing"],
    fix: "Check the arguments against the input schema before you run the tool.",
    run: (target) =>
      oddCalls(target, {
        applies: ({ inputSchema }) =>
          isJsonObject(inputSchema) && Array.isArray(inputSchema["required"]) && inputSchema["required"].length > 0,
        args: {},
        problem: (answer) => (isRefusal(answer) ? undefined : describeAnswer(answer)),
      }),
  },
  "calls/absent-arguments": {
    title: "A call without any arguments member is answered",
    level: "HOST",
    rule: "arguments is optional in tools/call; some hosts leave it out when there are none.",
    source: hostAdvice("absent-arguments"),
    legal: ["a result or an error; not the end of the process"],
    fix: "Treat absent arguments as {}.",
    run: (target) =>
      oddCalls(target, {
        applies: () => true,
        args: undefined,
        problem: (answer) => (isNoAnswer(answer) ? describeAnswer(answer) : undefined),
      }),
  },
  "calls/cancelled": {
    title: "After a cancelled call the session goes on",
    level: "MUST",
    rule: "A cancelled request is stopped, or finished in silence; it concerns that request alone.",
    source: legacySpec("basic/utilities/cancellation#behavior-requirements", "Cancellation, behavior requirements"),
    legal: ["no answer, or an answer that was already under way, and a probe that is answered afterwards"],
    fix: "Handle notifications/cancelled: stop the tool if you can, and drop its answer.",
    needs: ["tools/list", "requests/probe"],
    run: async (target) => {
      const made = await target.calls();
      // The slowest: cancelling what is done already shows little.
      const slowest = made?.calls.toSorted((a, b) => b.durationMs - a.durationMs)[0]?.tool;
      if (slowest === undefined) return noConsent(target);
      const { session, envelop, probe } = await target.openReady();
      // Not waited for: over HTTP the response to this comes when the tool is done.
      void session.send({
        jsonrpc: "2.0",
        id: "to-cancel",
        method: "tools/call",
        params: envelop({ name: slowest.name, arguments: slowest.args }),
      });
      await session.notify("notifications/cancelled", { requestId: "to-cancel", reason: "conformance check" });
      const answer = await probe();
      return answer.kind === "result" ? pass("the session goes on") : fail(`afterwards: ${describeAnswer(answer)}`);
    },
  },
  "calls/no-cross-talk": {
    title: "Calls at the same time get each its own result",
    level: "MUST",
    rule: "Requests may be in flight at the same time; each is answered with its own id.",
    source: legacySpec("basic#responses", "Base protocol, responses"),
    legal: ["twenty calls of one tool at once give the same kind of answer as one call"],
    fix: "Keep nothing about a call in variables that the next call shares.",
    run: async (target) => {
      const made = await target.calls();
      if (made === undefined) return noConsent(target);
      const quick = made.calls.find(({ answer, durationMs }) => answer.kind === "result" && durationMs < 500);
      if (quick === undefined) return notApplicable("no tool that may be called answers at once");
      const { tool } = quick;
      return target.lend(async (ready) => {
        const answers = await Promise.all(Array.from({ length: 20 }, () => callTool(ready, tool, tool.args)));
        const odd = answers.find(({ kind }) => kind !== "result");
        return odd
          ? fail(`among twenty calls of ${tool.name}: ${describeAnswer(odd)}`)
          : pass(`twenty results of ${tool.name}`);
      });
    },
  },
});

async function noConsent(target: ServerTarget): Promise<Finding> {
  const { items } = await target.listing();
  if (items.length === 0) return notApplicable("the server lists no tools");
  return { status: "not-applicable", reason: await adviseConsent(target), wants: "tool-calls" };
}

interface CallJudgement extends Omit<CheckInit, "run"> {
  /** Which calls it is about. Default: all. */
  readonly applies?: (call: MadeCall) => boolean;
  /** What is wrong with them, one entry per call. */
  readonly judge: (calls: ToolCalls) => readonly string[] | Promise<readonly string[]>;
}

/** Makes a check of a judgement about the one call that was made of each tool. */
function aboutCalls({ applies = () => true, judge, ...info }: CallJudgement): CheckInit {
  return {
    ...info,
    run: async (target) => {
      const made = await target.calls();
      if (made === undefined) return noConsent(target);
      const calls = made.calls.filter(applies);
      if (calls.length === 0) return otherKind;
      const problems = await judge({ ...made, calls });
      const slow = calls.filter(({ answer }) => answer.kind === "silence").map(({ tool }) => tool.name);
      const note = slow.length > 0 ? `; no answer yet from ${slow.join(", ")}` : "";
      return concluded(problems, `${calls.length} tools called${note}`);
    },
  };
}

interface OddCall {
  /** Which tools it is about, by definition. */
  readonly applies: (definition: JsonObject) => boolean;
  /** What they are called with; `undefined`: without arguments. */
  readonly args: JsonObject | undefined;
  readonly problem: (answer: Answer, tool: ConsentedTool) => string | undefined;
}

const mostOddCalls = 10;

/**
 * Calls the tools that may be called in a way that is not the usual one. A tool that is slow to
 * answer is left out of the judgement.
 */
async function oddCalls(target: ServerTarget, { applies, args, problem }: OddCall): Promise<Finding> {
  const made = await target.calls();
  if (made === undefined) return noConsent(target);
  const slow = new Set(made.calls.filter(({ answer }) => answer.kind === "silence").map(({ tool }) => tool.name));
  const tools = (await consentedTools(target))
    .filter(({ name, definition }) => applies(definition) && !slow.has(name))
    .slice(0, mostOddCalls);
  if (tools.length === 0) return otherKind;
  return target.lend(async (ready) => {
    const problems = await Promise.all(
      tools.map(async (tool) => {
        const found = problem(await callTool(ready, tool, args), tool);
        return found === undefined ? [] : [`${tool.name}: ${found}`];
      }),
    );
    return concluded(problems.flat(), `${tools.length} tools called`);
  });
}

function concluded(problems: readonly string[], observed: string): Finding {
  return problems.length === 0 ? pass(observed) : fail(problems.join("; "));
}

function problemsOf(
  calls: readonly MadeCall[],
  problem: (call: MadeCall) => string | false | undefined,
): readonly string[] {
  return calls.flatMap((call) => {
    const found = problem(call);
    return found === undefined || found === false ? [] : [`${call.tool.name}: ${found}`];
  });
}

// That a token does not reach this far is an answer: a check of its own says whether it is well
// put.
function isNoAnswer(answer: Answer): boolean {
  // A tool at work is silent; one that has answered, and not as JSON-RPC has it, is done.
  if (answer.kind === "silence") return answer.instead !== undefined;
  return (
    answer.kind === "gone" || (answer.kind === "http" && !(answer.status === 403 && answer.challenge !== undefined))
  );
}

function contentProblem(result: JsonValue | undefined): string | undefined {
  if (!isJsonObject(result)) return `the result is ${excerpt(result)}`;
  const { content, isError } = result;
  if (isError !== undefined && typeof isError !== "boolean") return `isError is ${excerpt(isError)}`;
  if (!Array.isArray(content)) return `content is ${excerpt(content)}`;
  const wrong = (content as readonly JsonValue[]).find((block) => !isBlock(block));
  return wrong === undefined ? undefined : `a block that is none: ${excerpt(wrong)}`;
}

function isBlock(block: JsonValue): boolean {
  if (!isJsonObject(block)) return false;
  const { type } = block;
  if (type === "text") return typeof block["text"] === "string";
  if (type === "image" || type === "audio")
    return typeof block["data"] === "string" && typeof block["mimeType"] === "string";
  return typeof type === "string";
}

function outputProblem(
  answer: Answer,
  outputSchema: JsonValue | undefined,
  compile: SchemaCompiler,
): string | undefined {
  if (answer.kind !== "result" || isRefusal(answer) || !isJsonObject(answer.result) || !isJsonObject(outputSchema))
    return undefined;
  const { structuredContent } = answer.result;
  if (structuredContent === undefined) return "no structuredContent";
  const compiled = compile(outputSchema);
  const problems = compiled.ok ? compiled.validate(structuredContent) : [];
  return problems.length === 0 ? undefined : problems.join(", ");
}

// They run at once, so that nobody can say whose line it was.
function namesOf(calls: readonly MadeCall[]): string {
  const names = calls.map(({ tool }) => JSON.stringify(tool.name));
  const more = names.length - mostNamed;
  return `${names.slice(0, mostNamed).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
