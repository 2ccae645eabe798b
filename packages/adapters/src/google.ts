// For products: tools for Gemini through Google's SDK.
import type { CallableTool, FunctionCall, Part, Tool } from "@google/genai";
import type { JsonValue } from "@hostside/core";
import type { Fields } from "@hostside/core/implement";
import type { Presented, PresentedBlock } from "@hostside/results";
import {
  apiAdapterFields,
  assertAnswerable,
  assertAnswerOptions,
  createApiTools,
  type AnswerOptions,
  type ApiAdapterOptions,
  type ApiTools,
  type ReadCall,
} from "./answer/api-calls.ts";
import { assertAdapterOptions, type ToolSource } from "./declare/tool-source.ts";
import { replaceMedia } from "./media.ts";
import { gemini } from "./schema/profiles.ts";

/** How tools are declared to Gemini, and their calls answered. */
interface GoogleOptions extends ApiAdapterOptions {
  /**
   * The place of what a tool shows: `"in-response"` (default), as Gemini 3 and later take it, or
   * `"beside"`, after all responses of the content, for models before, which refuse it inside.
   */
  readonly media?: "in-response" | "beside" | undefined;
}

/**
 * A response of a model, as far as its calls go: what `generateContent` gives, or the calls of all
 * chunks of a stream.
 */
interface GoogleResponse {
  readonly functionCalls?: readonly FunctionCall[] | undefined;
}

/** The one content that answers all calls of a response. */
interface GoogleAnswer {
  role: "user";
  parts: Part[];
}

/**
 * The tools of one conversation with Gemini. `tools()` is for `config.tools`, and empty where
 * nothing is offered. `answer()` gives the content to put after that of the model; `undefined` when
 * there is nothing to answer. Put the model's own content back as it came: its parts have a
 * `thoughtSignature`, without which Gemini 3 refuses the request. Calls that have no id are
 * approved by their places.
 */
export interface GoogleTools extends ApiTools<Tool, GoogleResponse, GoogleAnswer | undefined> {
  /**
   * The same as one tool of `config.tools`, with which `generateContent` calls functions by itself.
   * It reads what is declared once, at its beginning: what the model finds meanwhile is declared by
   * the next one. For a conversation with a search, write the loop.
   */
  callable(options?: AnswerOptions): CallableTool;
}

const fields: Fields<GoogleOptions> = { ...apiAdapterFields, media: true };

/**
 * Tools for Gemini from a view, a toolbox or a provider. Throws a `TypeError` that names the option
 * it cannot use.
 *
 * @example
 * const mcp = createGoogleTools(view);
 * const config = { tools: mcp.tools() };
 * const response = await client.models.generateContent({ model, contents, config });
 * const answer = await mcp.answer(response); // undefined: the model called nothing
 */
export function createGoogleTools(source: ToolSource, options: GoogleOptions = {}): GoogleTools {
  assertAdapterOptions("createGoogleTools()", options, fields);
  const { media = "in-response", ...shared } = options;
  if (media !== "in-response" && media !== "beside") throw new TypeError('media must be "in-response" or "beside"');
  const tools = createApiTools(source, shared, {
    profile: gemini,
    read: callsOf,
    toTools(declared): Tool[] {
      const functionDeclarations = declared.map(({ name, description, inputSchema }) => ({
        name,
        description,
        parametersJsonSchema: { ...inputSchema },
      }));
      return declared.length === 0 ? [] : [{ functionDeclarations }];
    },
    toAnswer(answers): GoogleAnswer | undefined {
      const made = answers.map(({ call, presented }) => toFunctionResponse(call, presented, media));
      const parts = [...made.map(({ response }) => response), ...made.flatMap(({ beside }) => beside)];
      return parts.length === 0 ? undefined : { role: "user", parts };
    },
  });
  return {
    ...tools,
    callable(how = {}) {
      assertAnswerOptions("callable()", how);
      return {
        tool: async () => tools.tools()[0] ?? { functionDeclarations: [] },
        callTool: async (functionCalls) => (await tools.answer({ functionCalls }, how))?.parts ?? [],
      };
    },
  };
}

function callsOf(response: GoogleResponse, owner: string): readonly ReadCall<FunctionCall>[] {
  assertAnswerable(response, `${owner} takes a response of the model`, ["functionCalls"]);
  return (response.functionCalls ?? []).map(readCall);
}

const inPieces = "the arguments of the call came in pieces and were not put together; it did not run";

// Gemini gives an id to some calls. The others are known by their places.
function readCall(call: FunctionCall, at: number): ReadCall<FunctionCall> {
  const { id = String(at), name = "", args, willContinue, partialArgs = [] } = call;
  return { call, id, name, args, refusal: (willContinue === true || partialArgs.length > 0) && inPieces };
}

const documents = ["image/png", "image/jpeg", "image/webp", "application/pdf", "text/plain"];

// A response takes pictures and documents; a sound in it fails the request
// (google-gemini/gemini-cli#16741), beside it stands as in any content.
const takes: Readonly<Record<NonNullable<GoogleOptions["media"]>, ReadonlySet<string>>> = {
  "in-response": new Set(documents),
  beside: new Set([
    ...documents,
    ...["wav", "mp3", "mpeg", "aiff", "aac", "ogg", "flac"].map((type) => `audio/${type}`),
  ]),
};

/**
 * The `functionResponse` of one call, and what of it stands outside of the response:
 * `response.output`, or `response.error` of a tool that failed, both of which the API knows. A text
 * is one, structured content is JSON, and where there are both they are `text` and `structured`, or
 * `message` and `structured`.
 */
function toFunctionResponse(
  { id, name }: FunctionCall,
  { blocks, isError }: Presented,
  place: "in-response" | "beside",
): { readonly response: Part; readonly beside: readonly Part[] } {
  const shown = replaceMedia(blocks, takes[place]);
  const parts = shown.flatMap((block) =>
    block.type === "text" ? [] : [{ inlineData: { mimeType: block.mimeType, data: block.data } }],
  );
  const { text, structured } = separate(shown);
  const more = structured !== undefined && { structured };
  const error = { message: text === "" ? "the tool failed" : text, ...more };
  const output = structured === undefined ? text : text === "" ? structured : { text, structured };
  return {
    response: {
      functionResponse: {
        // A call without an id must not get one back.
        ...(id !== undefined && { id }),
        ...(name !== undefined && { name }),
        response: isError ? { error } : { output },
        ...(place === "in-response" && parts.length > 0 && { parts }),
      },
    },
    beside: place === "beside" ? parts : [],
  };
}

function separate(blocks: readonly PresentedBlock[]): { readonly text: string; readonly structured?: JsonValue } {
  const texts: string[] = [];
  let structured: JsonValue | undefined;
  for (const block of blocks) {
    if (block.type !== "text") continue;
    const value = block.part === "structured" ? parse(block.text) : undefined;
    if (value === undefined) texts.push(block.text);
    else structured = value;
  }
  return { text: texts.join("\n"), ...(structured !== undefined && { structured }) };
}

// A presenter may have cut it, or put it between delimiters: then it is a text. So it is where the
// API would refuse the value: half of a surrogate pair, which JSON can write and UTF-8 cannot, and
// more levels than a protobuf message of JSON may have, which are 100.
function parse(text: string): JsonValue | undefined {
  if (/\\u[dD][89a-fA-F]/.test(text)) return undefined;
  try {
    const value = JSON.parse(text) as JsonValue;
    return fitsWithin(value, 64) ? value : undefined;
  } catch {
    return undefined;
  }
}

function fitsWithin(value: JsonValue | undefined, levels: number): boolean {
  if (typeof value !== "object" || value === null) return true;
  return levels > 0 && Object.values(value).every((member: JsonValue | undefined) => fitsWithin(member, levels - 1));
}
