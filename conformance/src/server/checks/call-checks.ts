import type { JsonObject, JsonValue } from "@hostside/core";
import { isJsonObject } from "@hostside/core/implement";
import type { Finding } from "../../engine/check.ts";
import { callTool, isNoAnswer, noConsent, textOf, type MadeCall, type ToolCalls } from "../consented-tools.ts";
import { createSchemaCompiler, type SchemaCompiler } from "../compile-schema.ts";
import { describeAnswer, excerpt } from "../handshake.ts";
import { blockProblem } from "../content-form.ts";
import type { Answer } from "../raw-session.ts";
import type { ServerTarget } from "../server-target.ts";
import {
  conclude,
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
import { cancelled, clientLeaves, noCrossTalk } from "./interplay-checks.ts";
import { judgeMessages } from "./request-checks.ts";

const page = "server/tools";
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
    async judge({ calls, ready }, { answerMs }) {
      const broken = problemsOf(calls, ({ answer }) => isNoAnswer(answer) && describeAnswer(answer));
      if (broken.length > 0) return broken;
      const slow = calls.filter(({ answer }) => answer.kind === "silence");
      if (slow.length === 0) return [];
      const after = await ready.probe({ timeoutMs: answerMs });
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
      "content is an array of objects with a type: text blocks have text, images and audio have base64 data and a mimeType, embedded resources a uri with text or blob, links a uri and a name",
      "a JSON-RPC error, if the arguments are not to its liking",
    ],
    fix: "Return { content: [{ type: 'text', text }] } even when the result is structured.",
    judge: ({ calls }) =>
      problemsOf(calls, ({ answer }) =>
        answer.kind === "result"
          ? contentProblem(answer.result)
          : answer.kind === "error" && refusedBySdk(answer.text, /^(?:MCP error -?\d+: )?Invalid tools\/call result/),
      ),
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
  "calls/unasked-progress": {
    title: "Progress is only reported to those who asked",
    level: "MUST",
    rule: "Progress notifications refer to a token that was given in an active request.",
    source: legacySpec("basic/utilities/progress#behavior-requirements", "Progress, behavior requirements"),
    legal: ["no notifications/progress for calls without a progress token"],
    fix: "Send progress only when the request's _meta has a progressToken, and with that token.",
    when: "end",
    run: (target) => judgeMessages(target, "none was sent", ({ method }) => method === "notifications/progress"),
  },
  "calls/no-cross-talk": noCrossTalk,
  "calls/missing-arguments": {
    title: "A call without its required arguments is refused",
    level: "MUST",
    rule: "Servers validate all tool inputs.",
    source: legacySpec(`${page}#security-considerations`, "Tools, security considerations"),
    legal: ["error -32602, or another JSON-RPC error", "a result with isError that says what is missing"],
    fix: "Check the arguments against the input schema before you run the tool.",
    needs: ["calls/no-cross-talk"],
    run: (target) =>
      oddCalls(target, {
        applies: hasRequired,
        args: {},
        problem: (answer) => (isRefusal(answer) ? undefined : describeAnswer(answer)),
      }),
  },
  "calls/absent-arguments": {
    title: "A call without any arguments member is answered",
    level: "HOST",
    rule: "arguments is optional in tools/call; some hosts leave it out when there are none.",
    source: hostAdvice("absent-arguments"),
    legal: [
      "a result, also one with isError that says what is missing",
      "error -32602, or another one if the tool has required arguments",
      "the error that a call with arguments gets, too",
    ],
    fix: "Treat absent arguments as {}.",
    needs: ["calls/no-cross-talk"],
    run: (target) =>
      oddCalls(target, {
        applies: () => true,
        args: undefined,
        problem(answer, { answer: usual, tool }) {
          if (answer.kind === "result" && !isCrash(answer.result)) return undefined;
          if (answer.kind === "error" && hasRequired(tool.definition) && !crash.test(excerpt(answer.text)))
            return undefined;
          if (answer.kind === "error" && answer.code === -32602) return undefined;
          if (answer.kind === "silence" && answer.instead === undefined) return undefined;
          return textOf(answer) === textOf(usual) ? undefined : describeAnswer(answer);
        },
      }),
  },
  "calls/cancelled": cancelled,
  "calls/client-leaves": clientLeaves,
});

interface CallJudgement extends Omit<CheckInit, "run"> {
  /** Which calls it is about. Default: all. */
  readonly applies?: (call: MadeCall) => boolean;
  /** What is wrong with them, one entry per call. */
  readonly judge: (calls: ToolCalls, target: ServerTarget) => readonly string[] | Promise<readonly string[]>;
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
      const problems = await judge({ ...made, calls }, target);
      const slow = calls.filter(({ answer }) => answer.kind === "silence").map(({ tool }) => tool.name);
      const note = slow.length > 0 ? `; no answer yet from ${slow.join(", ")}` : "";
      return conclude(problems, `${calls.length} tools called${note}`);
    },
  };
}

interface OddCall {
  /** Which tools it is about, by definition. */
  readonly applies: (definition: JsonObject) => boolean;
  /** What they are called with; `undefined`: without arguments. */
  readonly args: JsonObject | undefined;
  readonly problem: (answer: Answer, usual: MadeCall) => string | undefined;
}

/**
 * Calls the tools that may be called in a way that is not the usual one. A tool that is slow to
 * answer the usual call, or breaks of it, is left out.
 */
async function oddCalls(target: ServerTarget, { applies, args, problem }: OddCall): Promise<Finding> {
  const made = await target.calls();
  if (made === undefined) return noConsent(target);
  const calls = made.calls.filter(
    ({ answer, tool }) => applies(tool.definition) && answer.kind !== "silence" && !isNoAnswer(answer),
  );
  if (calls.length === 0) return otherKind;
  return target.lend(async (ready) => {
    const problems = await Promise.all(
      calls.map(async (call) => {
        const found = problem(await callTool(ready, call.tool, args), call);
        return found === undefined ? [] : [`${call.tool.name}: ${found}`];
      }),
    );
    return conclude(problems.flat(), `${calls.length} tools called`);
  });
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

function contentProblem(result: JsonValue | undefined): string | undefined {
  if (!isJsonObject(result)) return `the result is ${excerpt(result)}`;
  const { content, isError } = result;
  if (isError !== undefined && typeof isError !== "boolean") return `isError is ${excerpt(isError)}`;
  if (!Array.isArray(content)) return `content is ${excerpt(content)}`;
  return (content as readonly JsonValue[]).map(blockProblem).find((problem) => problem !== undefined);
}

const isText = (value: unknown): value is string => typeof value === "string";

/** That the SDK of the server refused what the tool returned, whose message hides it. */
function refusedBySdk(text: JsonValue | undefined, message: RegExp): string | undefined {
  return isText(text) && message.test(text)
    ? `its own SDK refuses what it returns, and hosts see only an error: ${excerpt(text)}`
    : undefined;
}

/** The text of a failed result. */
function failureText(result: JsonValue | undefined): string | undefined {
  if (!isJsonObject(result) || result["isError"] !== true || !Array.isArray(result["content"])) return undefined;
  const [first] = result["content"] as readonly JsonValue[];
  return isJsonObject(first) && isText(first["text"]) ? first["text"] : undefined;
}

function hasRequired({ inputSchema }: JsonObject): boolean {
  return isJsonObject(inputSchema) && Array.isArray(inputSchema["required"]) && inputSchema["required"].length > 0;
}

// What runtimes say of a value that is not there, and Zod of arguments that are none; not what it says
// of an argument that is required.
const crash =
  /\bpropert(?:y|ies)\b.{0,80} of '?(?:undefined|null|object null)\b|\(reading '|\bundefined is not an object \(evaluating|\bis not (?:iterable|a function)\b|\bundefined or null\b|"path":\s*\[\s*\]|\bTypeError\b|\bAttributeError\b|\bKeyError\b|NoneType|null pointer|nil pointer|NullReference/i;

function isCrash(result: JsonValue | undefined): boolean {
  const text = failureText(result);
  return text !== undefined && crash.test(text) && !/validation|-32602/i.test(text);
}

// The texts of the official SDKs: "Output validation error: …" is that of the present ones.
const outputRefused =
  /^(?:MCP error -?\d+: )?(?:Output validation error|Invalid structured content for tool |Tool \S+ has an output schema but no structured content)/;

function outputProblem(
  answer: Answer,
  outputSchema: JsonValue | undefined,
  compile: SchemaCompiler,
): string | undefined {
  if (!isJsonObject(outputSchema)) return undefined;
  if (answer.kind === "error") return refusedBySdk(answer.text, outputRefused);
  if (answer.kind !== "result" || !isJsonObject(answer.result)) return undefined;
  if (isRefusal(answer)) return refusedBySdk(failureText(answer.result), outputRefused);
  const { structuredContent } = answer.result;
  if (structuredContent === undefined) return "no structuredContent";
  const compiled = compile(outputSchema);
  const problems = compiled.ok ? compiled.validate(structuredContent) : [];
  return problems.length === 0 ? undefined : problems.join(", ");
}
