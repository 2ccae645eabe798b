import { isJsonObject, type JsonObject, type JsonValue } from "@toolport/core";
import type { Finding } from "../../engine/check.ts";
import { compileSchema } from "../compile-schema.ts";
import { consentedTools, type ConsentedTool } from "../consented-tools.ts";
import { describeAnswer } from "../handshake.ts";
import type { Answer } from "../raw-session.ts";
import type { ReadySession } from "../ready-session.ts";
import type { ServerTarget } from "../server-target.ts";
import { fail, legacySpec, pass, type ServerCheck } from "./define-check.ts";

const page = "server/tools";
const needs = ["tools/list"];
const noConsent: Finding = {
  status: "not-applicable",
  reason:
    "no tool may be called: none declares itself read-only and takes arguments that can be made up; name one with --call, or allow all with --allow-calls",
};

/** How a server's tools behave when they are called. Only tools with consent are. */
export const callChecks: readonly ServerCheck[] = [
  {
    id: "calls/unknown-tool",
    title: "A call of a tool that does not exist is refused",
    level: "MUST",
    requirement: {
      sentence: "Unknown tools are a protocol error; older servers report them as a failed result.",
      ...legacySpec(`${page}#error-handling`, "Tools, error handling"),
    },
    legal: ["error -32602, or another JSON-RPC error", "a result with isError"],
    fix: "Look the name up and answer -32602 with it.",
    needs,
    run: async (target) => {
      const { session, request } = await target.shared();
      const answer = await request("tools/call", { name: "toolport-no-such-tool", arguments: {} });
      return isRefusal(answer) ? pass(describeAnswer(answer)) : fail(describeAnswer(answer), session, target);
    },
  },
  aboutCalls({
    id: "calls/result-content",
    title: "A result has content that hosts understand",
    level: "MUST",
    requirement: {
      sentence: "A result has a content array of typed blocks; isError, if there, is a boolean.",
      ...legacySpec(`${page}#tool-result`, "Tools, tool result"),
    },
    legal: [
      "content is an array of objects with a type, text blocks have text, media blocks have data and mimeType",
      "a JSON-RPC error, if the arguments are not to its liking",
    ],
    fix: "Return { content: [{ type: 'text', text }] } even when the result is structured.",
    judge: (answer) =>
      answer.kind === "result"
        ? contentProblem(answer.result)
        : answer.kind === "error"
          ? undefined
          : describeAnswer(answer),
  }),
  aboutCalls({
    id: "calls/output-matches-schema",
    title: "Structured results match the output schema",
    level: "MUST",
    requirement: {
      sentence: "A tool with an output schema returns structured results that conform to it.",
      ...legacySpec(`${page}#output-schema`, "Tools, output schema"),
    },
    legal: ["structuredContent is valid against outputSchema", "a result with isError", "a JSON-RPC error"],
    fix: "Validate what you return against the schema that you publish; clients of the official SDKs refuse the result otherwise.",
    applies: ({ definition }) => isJsonObject(definition["outputSchema"]),
    judge: (answer, { definition }) => outputProblem(answer, definition["outputSchema"]),
  }),
  aboutCalls({
    id: "calls/missing-arguments",
    title: "A call without its required arguments is refused",
    level: "MUST",
    requirement: {
      sentence: "Servers validate all tool inputs.",
      ...legacySpec(`${page}#security-considerations`, "Tools, security considerations"),
    },
    legal: ["error -32602, or another JSON-RPC error", "a result with isError that says what is missing"],
    fix: "Check the arguments against the input schema before you run the tool.",
    args: () => ({}),
    applies: ({ definition }) =>
      isJsonObject(definition["inputSchema"]) &&
      Array.isArray(definition["inputSchema"]["required"]) &&
      definition["inputSchema"]["required"].length > 0,
    judge: (answer) => (isRefusal(answer) ? undefined : describeAnswer(answer)),
  }),
  aboutCalls({
    id: "calls/absent-arguments",
    title: "A call without any arguments member is answered",
    level: "HOST",
    requirement: {
      sentence: "arguments is optional in tools/call; some hosts leave it out when there are none.",
      ...legacySpec(`${page}#calling-tools`, "Tools, calling tools"),
    },
    legal: ["a result or an error; not silence, and not the end of the process"],
    fix: "Treat absent arguments as {}.",
    args: () => undefined,
    judge: (answer) => (answer.kind === "result" || answer.kind === "error" ? undefined : describeAnswer(answer)),
  }),
  {
    id: "calls/cancelled",
    title: "After a cancelled call the session goes on",
    level: "MUST",
    requirement: {
      sentence: "A cancelled request is stopped, or finished in silence; it concerns that request alone.",
      ...legacySpec("basic/utilities/cancellation", "Cancellation"),
    },
    legal: ["no answer, or an answer that was already under way, and a probe that is answered afterwards"],
    fix: "Handle notifications/cancelled: stop the tool if you can, and drop its answer.",
    needs,
    run: async (target) => {
      const [tool] = await consentedTools(target);
      if (tool === undefined) return noConsent;
      const { session, envelop, probe } = await target.openReady();
      await session.send({
        jsonrpc: "2.0",
        id: "to-cancel",
        method: "tools/call",
        params: envelop({ name: tool.name, arguments: tool.args }),
      });
      await session.notify("notifications/cancelled", { requestId: "to-cancel", reason: "conformance check" });
      const answer = await probe();
      return answer.kind === "result"
        ? pass("the session goes on")
        : fail(`afterwards: ${describeAnswer(answer)}`, session, target);
    },
  },
  {
    id: "calls/no-cross-talk",
    title: "Calls at the same time get each its own result",
    level: "MUST",
    requirement: {
      sentence: "Requests may be in flight at the same time; each is answered with its own id.",
      ...legacySpec("basic#messages", "Base protocol, messages"),
    },
    legal: ["twenty calls of one tool at once give the same kind of answer as one call"],
    fix: "Keep nothing about a call in variables that the next call shares.",
    needs,
    run: async (target) => {
      const [tool] = await consentedTools(target);
      if (tool === undefined) return noConsent;
      const ready = await target.openReady();
      const alone = await call(ready, tool, tool.args);
      const answers = await Promise.all(Array.from({ length: 20 }, () => call(ready, tool, tool.args)));
      const odd = answers.find(({ kind }) => kind !== alone.kind);
      return odd
        ? fail(`alone: ${describeAnswer(alone)}; among twenty: ${describeAnswer(odd)}`, ready.session, target)
        : pass(`twenty answers of ${tool.name}`);
    },
  },
];

interface CallJudgement extends Omit<ServerCheck, "run" | "needs"> {
  /** Which tools it is about. Default: all that may be called. */
  readonly applies?: (tool: ConsentedTool) => boolean;
  /** What to call them with. Default: the arguments that were given or made up. */
  readonly args?: (tool: ConsentedTool) => JsonObject | undefined;
  /** What is wrong with an answer, or `undefined`. */
  readonly judge: (answer: Answer, tool: ConsentedTool) => string | undefined;
}

// Read-only tools are cheap, but a server may have hundreds of them.
const mostCalled = 10;

function aboutCalls({ applies = () => true, args = (tool) => tool.args, judge, ...info }: CallJudgement): ServerCheck {
  return {
    ...info,
    needs,
    run: async (target) => {
      const tools = (await consentedTools(target)).filter(applies).slice(0, mostCalled);
      if (tools.length === 0) return noConsent;
      const ready = await target.openReady();
      const problems: string[] = [];
      for (const tool of tools) {
        const problem = judge(await call(ready, tool, args(tool)), tool);
        if (problem !== undefined) problems.push(`${tool.name}: ${problem}`);
      }
      return judged(problems, { called: tools.length, ready, target });
    },
  };
}

function judged(
  problems: readonly string[],
  { called, ready, target }: { called: number; ready: ReadySession; target: ServerTarget },
): Finding {
  return problems.length === 0 ? pass(`${called} tools called`) : fail(problems.join("; "), ready.session, target);
}

function call({ request }: ReadySession, { name }: ConsentedTool, args: JsonObject | undefined): Promise<Answer> {
  return request("tools/call", { name, ...(args && { arguments: args }) });
}

function isRefusal(answer: Answer): boolean {
  return (
    answer.kind === "error" ||
    (answer.kind === "result" && isJsonObject(answer.result) && answer.result["isError"] === true)
  );
}

function contentProblem(result: JsonValue | undefined): string | undefined {
  if (!isJsonObject(result)) return `the result is ${JSON.stringify(result)}`;
  const { content, isError } = result;
  if (isError !== undefined && typeof isError !== "boolean") return `isError is ${JSON.stringify(isError)}`;
  if (!Array.isArray(content)) return `content is ${JSON.stringify(content)}`;
  const wrong = (content as readonly JsonValue[]).find((block) => !isBlock(block));
  return wrong === undefined ? undefined : `a block that is none: ${JSON.stringify(wrong).slice(0, 120)}`;
}

function isBlock(block: JsonValue): boolean {
  if (!isJsonObject(block)) return false;
  const { type } = block;
  if (type === "text") return typeof block["text"] === "string";
  if (type === "image" || type === "audio")
    return typeof block["data"] === "string" && typeof block["mimeType"] === "string";
  return typeof type === "string";
}

function outputProblem(answer: Answer, outputSchema: JsonValue | undefined): string | undefined {
  if (answer.kind !== "result" || isRefusal(answer) || !isJsonObject(answer.result) || !isJsonObject(outputSchema))
    return undefined;
  const { structuredContent } = answer.result;
  if (structuredContent === undefined) return "no structuredContent";
  const compiled = compileSchema(outputSchema);
  const problems = compiled.ok ? compiled.validate(structuredContent) : [];
  return problems.length === 0 ? undefined : problems.join(", ");
}
