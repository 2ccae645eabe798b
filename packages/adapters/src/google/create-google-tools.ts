import type { Fields } from "@hostside/core/implement";
import type { CallableTool, FunctionCall, FunctionDeclaration, Part, Tool } from "@google/genai";
import { adapterFields, assertAdapterOptions, type AdapterOptions } from "../adapter-options.ts";
import type { CallToApprove } from "../answer/approvals.ts";
import { assertAnswerable, type Answerable } from "../answer/assert-answerable.ts";
import { assertAnswerOptions, type AnswerOptions } from "../answer/answer-options.ts";
import type { ModelCall } from "../answer/answer-call.ts";
import { createAnswerer } from "../answer/create-answerer.ts";
import { refused } from "../answer/refused.ts";
import { runAll } from "../answer/run-all.ts";
import { readOwnFunctions, type OwnFunctionsOptions } from "../declare/own-functions.ts";
import type { DeclaredTool, Declaration, LeftOutTool } from "../declared-tool.ts";
import { geminiJsonSchema, geminiParameters } from "../schema/profiles/gemini.ts";
import type { ToolSource } from "../tool-source.ts";
import { toFunctionResponse, type MediaPlace } from "./function-response.ts";

/** How functions are declared to Gemini, and their calls answered. */
export interface GoogleOptions extends AdapterOptions, OwnFunctionsOptions {
  /**
   * In which member a schema is declared: `"parametersJsonSchema"` (default), which takes most of
   * JSON Schema, or `"parameters"`, the older subset of OpenAPI, for models and proxies that know
   * nothing else.
   */
  readonly dialect?: "parametersJsonSchema" | "parameters" | undefined;
  /**
   * Where what a tool shows stands: `"in-response"` (default), as Gemini 3 and later take it, or
   * `"beside"`, after all responses of the content, for models before, which refuse it inside.
   */
  readonly media?: MediaPlace | undefined;
}

/**
 * A response of a model, as far as its calls go: what `generateContent` gives, or the calls of all
 * chunks of a stream.
 */
export interface GoogleResponse {
  readonly functionCalls?: readonly FunctionCall[] | undefined;
}

/** The one content that answers all calls of a response. */
export interface GoogleAnswer {
  role: "user";
  parts: Part[];
}

/** The tools of one conversation with Gemini. */
export interface GoogleTools {
  /**
   * What to declare as `config.tools` of the next request: what the source offers now, in its
   * order; empty where that is nothing.
   */
  tools(): Tool[];
  /**
   * Runs the calls of a response, all at once, and gives the content to put after that of the
   * model; `undefined` when there is nothing to answer. Whatever goes wrong with a call is its
   * answer. Put the model's own content back as it came: its parts have a `thoughtSignature`,
   * without which Gemini 3 refuses the request. Rejects with `aborted` when the signal aborts,
   * after all calls have ended. Answering one response twice runs its calls twice.
   */
  answer(response: GoogleResponse, options?: AnswerOptions): Promise<GoogleAnswer | undefined>;
  /**
   * The same as one tool of `config.tools`, with which `generateContent` calls functions by itself.
   * It reads what is declared once, at its beginning: what the model finds meanwhile is declared by
   * the next one. For a conversation with a search, write the loop.
   */
  callable(options?: AnswerOptions): CallableTool;
  /**
   * The calls to approve; their ids, or places where Gemini gave none, are for `approved` of
   * `answer()`. None where the policy has a handler.
   */
  toApprove(response: GoogleResponse, options?: AnswerOptions): Promise<readonly CallToApprove[]>;
  /** What is not declared now, and why. */
  leftOut(): readonly LeftOutTool[];
}

const fields: Fields<GoogleOptions> = { ...adapterFields, dialect: true, media: true, ownFunctions: true };

const answerable: Answerable = {
  takes: "a response of the model",
  members: ["functionCalls"],
  lists: ["functionCalls"],
  optional: true,
};

/**
 * Tools for Gemini from a view, a toolbox or a provider; one for each conversation. Throws a
 * `TypeError` that names the option it cannot use.
 */
export function createGoogleTools(source: ToolSource, options: GoogleOptions = {}): GoogleTools {
  assertGoogleOptions(options);
  const { dialect = "parametersJsonSchema", media = "in-response", ownFunctions, ...shared } = options;
  const own = readOwnFunctions(ownFunctions);
  const answerer = createAnswerer(source, dialect === "parameters" ? geminiParameters : geminiJsonSchema, shared);
  let latest: Declaration | undefined;
  const declare = (): Declaration => (latest = answerer.declare(own));

  const functionDeclarations = (): FunctionDeclaration[] => declare().tools.map((tool) => toFunction(tool, dialect));

  const run = async (calls: readonly FunctionCall[], how: AnswerOptions): Promise<Part[]> => {
    const declaration = latest ?? declare();
    const theirs = calls.filter(({ name }) => !own.has(name ?? ""));
    const parts = await runAll(theirs, async (call) => {
      if (isPiece(call)) return toFunctionResponse(call, refused(inPieces), media);
      const presented = await answerer.answer(toModelCall(call, calls.indexOf(call), how), declaration);
      return toFunctionResponse(call, presented, media);
    });
    return [...parts.map(({ response }) => response), ...parts.flatMap(({ beside }) => beside)];
  };
  return {
    tools() {
      const declared = functionDeclarations();
      return declared.length === 0 ? [] : [{ functionDeclarations: declared }];
    },
    async toApprove(response, how = {}) {
      assertAnswerable(response, answerable);
      assertAnswerOptions("toApprove()", how);
      const calls = response.functionCalls ?? [];
      const whole = calls.filter((call) => !own.has(call.name ?? "") && !isPiece(call));
      const asked = whole.map((call) => toModelCall(call, calls.indexOf(call), how));
      return await answerer.toApprove(asked);
    },
    async answer(response, how = {}) {
      assertAnswerable(response, answerable);
      assertAnswerOptions("answer()", how);
      const parts = await run(response.functionCalls ?? [], how);
      return parts.length === 0 ? undefined : { role: "user", parts };
    },
    callable(how = {}) {
      assertAnswerOptions("callable()", how);
      return {
        tool: async () => ({ functionDeclarations: functionDeclarations() }),
        callTool: async (calls) => await run(calls, how),
      };
    },
    leftOut: () => answerer.declare(own).leftOut,
  };
}

function toModelCall({ id, name = "", args }: FunctionCall, at: number, how: AnswerOptions): ModelCall {
  return { ...how, id: id ?? String(at), name, args };
}

const inPieces = "the arguments of the call came in pieces and were not put together; it did not run";

// As they come with `streamFunctionCallArguments`: what looks like a call without arguments is the
// beginning of one.
function isPiece({ willContinue, partialArgs }: FunctionCall): boolean {
  return willContinue === true || (partialArgs?.length ?? 0) > 0;
}

// The SDK writes into declarations: each request gets its own.
function toFunction(
  { name, description, inputSchema }: DeclaredTool,
  dialect: "parametersJsonSchema" | "parameters",
): FunctionDeclaration {
  if (dialect === "parameters") return { name, description, parameters: { ...inputSchema } };
  return { name, description, parametersJsonSchema: { ...inputSchema } };
}

function assertGoogleOptions(options: GoogleOptions): void {
  assertAdapterOptions("createGoogleTools()", options, fields);
  const { dialect, media } = options;
  if (dialect !== undefined && dialect !== "parametersJsonSchema" && dialect !== "parameters") {
    throw new TypeError('dialect must be "parametersJsonSchema" or "parameters"');
  }
  if (media !== undefined && media !== "in-response" && media !== "beside") {
    throw new TypeError('media must be "in-response" or "beside"');
  }
}
