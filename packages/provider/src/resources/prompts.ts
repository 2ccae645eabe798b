import {
  HostsideError,
  isHostsideError,
  readContent,
  truncateText,
  type ContentBlock,
  type Event,
  type JsonObject,
  type ListedEntry,
} from "@hostside/core";
import {
  assertKnownOptions,
  freezeData,
  isJsonObject,
  isPlainObject,
  kindOf,
  quoteText,
} from "@hostside/core/implement";
import { malformedError, notOfferedError, readPieces, type PieceReader, type ResourceParts } from "./ask-server.ts";
import { jsonLength } from "./read-cache.ts";
import { longestUri } from "./check-uri.ts";
import {
  longestDescription,
  longestName,
  readListedEntry,
  type DroppedEntry,
  type ListDefinition,
} from "./list-server.ts";
import type { ListChange, ListSnapshot } from "./live-list.ts";
import { requestTimeoutMs } from "./resources-options.ts";
import {
  assertReadOptions,
  type ListOptions,
  type ReadOptions,
  type ServerFailure,
  type ServerLists,
} from "./server-lists.ts";

/** The prompts of several servers. */
export interface PromptListing {
  /** Sorted by server id, then by name. */
  readonly prompts: readonly Prompt[];
  /**
   * Servers whose prompts are not there, or not all; what was read of them before it failed is in
   * `prompts`.
   */
  readonly failures: readonly ServerFailure[];
  /** Entries that could not be used. */
  readonly dropped: readonly DroppedEntry[];
}

/**
 * The prompts of all servers, and what completes values for them and for templates. They live as
 * resources do.
 */
export interface Prompts {
  /** As `list()`, for prompts. */
  listPrompts(options?: ListOptions): Promise<PromptListing>;
  /**
   * Fills in a prompt: all of its messages, or an error. Throws a `TypeError` for a target or
   * options; before anything is sent `unknown_server`, and `invalid_arguments` for arguments that
   * are no texts. `invalid_arguments` also where the server refuses the arguments or the name, in
   * its own words; `unsupported_operation` where the server has no prompts; `message_too_large`
   * beyond 8,388,608 UTF-16 units or 1,000 messages; `protocol_error`, `request_timeout`,
   * `aborted`, `closed`, and whatever connecting failed with.
   */
  getPrompt(target: PromptTarget, args?: FilledArguments, options?: ReadOptions): Promise<FilledPrompt>;
  /**
   * Asks a server for values of an argument of a prompt, or of a variable of a template. Throws as
   * {@linkcode Prompts.getPrompt}, and `unsupported_operation` where the server completes nothing.
   */
  complete(target: CompletionTarget, input: CompletionInput, options?: ReadOptions): Promise<Completion>;
  /** The prompts that were listed last. Asks nobody. */
  promptSnapshot(): ListSnapshot<Prompt>;
  /** As `onResourcesChanged`, for prompts. */
  readonly onPromptsChanged: Event<ListChange<Prompt>>;
}

/** Makes the part for prompts, over the list that follows the provider. */
export function createPrompts(parts: ResourceParts, list: ServerLists<Prompt>): Prompts {
  const { asking } = parts;
  return {
    async listPrompts(options) {
      const { entries, ...rest } = await list.list(options);
      return { prompts: entries, ...rest };
    },
    async getPrompt(target, args = {}, options = {}) {
      if (!isPlainObject(target)) throw new TypeError(`getPrompt() needs { serverId, name }, not ${kindOf(target)}`);
      assertReadOptions("getPrompt()", options);
      const { serverId, name } = target;
      if (typeof name !== "string" || name === "") throw new TypeError("getPrompt() needs the name of a prompt");
      asking.assertServer("getPrompt()", serverId);
      const values = readFilledArguments(args, { serverId, what: "a prompt" });
      return await getPrompt(parts, target, { ...options, values });
    },
    async complete(target, input, options = {}) {
      const params = readCompletion(target, input);
      assertReadOptions("complete()", options);
      const { serverId } = target;
      asking.assertServer("complete()", serverId);
      return await complete(parts, { serverId, params }, options);
    },
    promptSnapshot: () => list.snapshot(),
    onPromptsChanged: (listener) => list.onChanged(listener),
  };
}

const operation = "prompts/get";
// https://modelcontextprotocol.io/specification/2025-11-25/server/prompts#error-handling and the
// same page of 2026-07-28 have -32602 both for a name that there is not and for missing arguments.
// Some servers say the former with -32002, and those on the Python SDK with 0.
const refusals: ReadonlySet<number | undefined> = new Set([-32_602, -32_002, 0]);

/**
 * Asks a server for a prompt, as `getPrompt()` of `Resources` says, with arguments that are texts.
 */
async function getPrompt(
  { asking }: ResourceParts,
  { serverId, name }: PromptTarget,
  { values, ...options }: ReadOptions & { readonly values: FilledArguments },
): Promise<FilledPrompt> {
  const { signal, context, meta, timeoutMs = requestTimeoutMs } = options;
  try {
    return await asking.ask({ serverId, operation, timeoutMs, signal, context }, async (session) => {
      if (!isJsonObject(session.server.capabilities["prompts"])) throw notOfferedError({ serverId, operation });
      const params = { name, arguments: values, ...(meta && { _meta: meta }) };
      const result = await session.request(operation, params);
      const { description, _meta: resultMeta } = result;
      const { pieces: messages, dropped } = readPieces(result, { serverId, operation }, messageReader);
      return freezeData({
        serverId,
        name,
        ...(typeof description === "string" && { description: truncateText(description, longestDescription) }),
        messages,
        dropped,
        ...(isJsonObject(resultMeta) && { meta: resultMeta }),
      });
    });
  } catch (reason) {
    if (!isHostsideError(reason, "server_error") || !refusals.has(reason.details.rpcCode)) throw reason;
    const { rawMessage, outcome, details } = reason;
    throw new HostsideError(rawMessage, { code: "invalid_arguments", serverId, outcome, details, cause: reason });
  }
}

/** The lists of prompts. */
export const promptKind: ListDefinition<Prompt> = {
  method: "prompts/list",
  member: "prompts",
  capability: "prompts",
  keyOf: ({ name }) => name,
  read(entry, serverId) {
    const { name } = entry;
    // An identity is never cut: it would be another one.
    if (name === "") return "its name is empty";
    if (typeof name === "string" && name.length > longestName)
      return `its name is longer than ${longestName} UTF-16 units`;
    const listed = readListedEntry(entry, serverId);
    return typeof listed === "string" ? listed : { ...listed, arguments: readArguments(entry["arguments"]) };
  },
};

function readArguments(values: unknown): readonly PromptArgument[] {
  const found = new Map<string, PromptArgument>();
  for (const value of Array.isArray(values) ? (values as readonly unknown[]) : []) {
    if (!isJsonObject(value)) continue;
    const { name, title, description, required } = value;
    if (typeof name !== "string" || name === "" || name.length > longestName || found.has(name)) continue;
    found.set(name, {
      name,
      ...(typeof title === "string" && { title: truncateText(title, longestName) }),
      ...(typeof description === "string" && { description: truncateText(description, longestDescription) }),
      required: required === true,
    });
  }
  return Array.from(found.values());
}

/** A blank in a prompt, as its server lists it. */
export interface PromptArgument {
  /** At most 1,024 UTF-16 units. */
  readonly name: string;
  /** At most 1,024 UTF-16 units. */
  readonly title?: string;
  /** At most 8,192 UTF-16 units. */
  readonly description?: string;
  /** Says whether its server says that the prompt cannot be had without it. */
  readonly required: boolean;
}

/**
 * A prompt as its server lists it. Its identity is its server's id and its name, which is never
 * cut. All texts are a server's: untrusted.
 */
export interface Prompt extends ListedEntry {
  /** In the server's order; the first of two with one name. */
  readonly arguments: readonly PromptArgument[];
}

/** One message of a prompt. A server's: untrusted, whatever role it claims. */
export interface PromptMessage {
  readonly role: "user" | "assistant";
  /**
   * A block of a known kind ({@linkcode ContentBlock}), or of a kind that is not known, as it came.
   * `_meta` is for the host, never for a model.
   */
  readonly content: ContentBlock;
}

/** A prompt filled in with its arguments. */
export interface FilledPrompt {
  readonly serverId: string;
  readonly name: string;
  /** At most 8,192 UTF-16 units. */
  readonly description?: string;
  /** In the server's order. */
  readonly messages: readonly PromptMessage[];
  /** Messages that could not be used: the first 100. */
  readonly dropped: readonly { readonly index: number; readonly reason: string }[];
  /** The `_meta` of the result, for the host. */
  readonly meta?: JsonObject;
}

/** One prompt of one server. */
export interface PromptTarget {
  readonly serverId: string;
  /** Byte for byte as it was listed. */
  readonly name: string;
}

/** Reads the messages of a `prompts/get`. */
const messageReader: PieceReader<PromptMessage> = {
  member: "messages",
  read: readMessage,
  lengthOf: ({ content }) => jsonLength(content),
};

function readMessage(value: unknown): PromptMessage | string {
  if (!isJsonObject(value)) return "it is no object";
  const { role, content: given } = value;
  // A server that could speak as anybody else would speak as the host.
  if (role !== "user" && role !== "assistant") return "its role is neither user nor assistant";
  const [content] = readContent([given]);
  const kind: string | undefined = content?.type;
  return content === undefined || kind === "malformed:block" ? "its content is no block" : { role, content };
}

/** The values to fill in: a prompt's arguments, or the variables of a template, by name. */
export type FilledArguments = Readonly<Record<string, string>>;

/**
 * Refuses what is no object of texts with `invalid_arguments`: values come from users and models.
 * The copy has what was given and nothing that is `undefined`.
 */
function readFilledArguments(
  values: unknown,
  { serverId, what }: { readonly serverId: string; readonly what: string },
): FilledArguments {
  const refusal = (problem: string): HostsideError =>
    new HostsideError(`${what} of server ${JSON.stringify(serverId)} ${problem}`, {
      code: "invalid_arguments",
      serverId,
    });
  if (!isPlainObject(values)) throw refusal(`takes its values as an object, not as ${kindOf(values)}`);
  const given = Object.entries(values).filter(([, value]) => value !== undefined);
  const wrong = given.filter(([, value]) => typeof value !== "string").map(([name]) => quoteText(name, 64));
  if (wrong.length > 0) throw refusal(`takes texts alone; ${wrong.slice(0, 10).join(", ")} must be one`);
  // By definition and not by assignment, so that a member `__proto__` is one like any other.
  return Object.fromEntries(given.flatMap(([name, value]) => (typeof value === "string" ? [[name, value]] : [])));
}

/**
 * The owner of the value: a prompt by its name, or a template by its text; as it was listed, or
 * made by hand.
 */
export type CompletionTarget =
  | { readonly serverId: string; readonly name: string; readonly uriTemplate?: undefined }
  | { readonly serverId: string; readonly uriTemplate: string };

/** The text that was typed so far. */
export interface CompletionInput {
  /** The argument of the prompt, or the variable of the template. */
  readonly argument: string;
  /** May be empty. */
  readonly value: string;
  /** The other arguments, as far as they are known: servers go by them. */
  readonly given?: FilledArguments | undefined;
}

/** The proposals of a server. */
export interface Completion {
  /** At most 100, each of at most 8,192 UTF-16 units: others are left out. Untrusted. */
  readonly values: readonly string[];
  /** How many there are in all, as the server says. */
  readonly total?: number;
  /** Says whether there are more than these: because the server says so, or some were left out. */
  readonly hasMore: boolean;
}

const completing = "completion/complete";
// https://modelcontextprotocol.io/specification/2025-11-25/server/utilities/completion
const mostValues = 100;
const inputFields = { argument: true, value: true, given: true } as const;

/**
 * Throws a `TypeError` for what is no target and no input, and `invalid_arguments` for values that
 * are no texts. The params of the request.
 */
function readCompletion(target: CompletionTarget, input: CompletionInput): JsonObject {
  if (!isPlainObject(target)) throw new TypeError(`complete() needs a prompt or a template, not ${kindOf(target)}`);
  assertKnownOptions("complete()", input, inputFields);
  const { argument, value, given } = input;
  for (const [place, text] of Object.entries({ argument, value })) {
    if (typeof text !== "string") throw new TypeError(`complete(): ${place} must be a text, not ${kindOf(text)}`);
  }
  const { uriTemplate } = target;
  const named = uriTemplate ?? target.name;
  if (typeof named !== "string" || named === "") throw new TypeError("complete() needs a name or a uriTemplate");
  const owner = { serverId: target.serverId, what: "a completion" };
  return {
    ref: uriTemplate === undefined ? { type: "ref/prompt", name: named } : { type: "ref/resource", uri: named },
    argument: { name: argument, value },
    ...(given !== undefined && { context: { arguments: readFilledArguments(given, owner) } }),
  };
}

/** Asks a server for proposals, as `complete()` of `Resources` says. */
async function complete(
  { asking }: ResourceParts,
  { serverId, params }: { readonly serverId: string; readonly params: JsonObject },
  options: ReadOptions,
): Promise<Completion> {
  const { signal, context, meta, timeoutMs = requestTimeoutMs } = options;
  const subject = { serverId, operation: completing };
  return asking.ask({ ...subject, timeoutMs, signal, context }, async ({ server, request }) => {
    if (!isJsonObject(server.capabilities["completions"])) throw notOfferedError(subject);
    const { completion } = await request(completing, { ...params, ...(meta && { _meta: meta }) });
    if (!isJsonObject(completion) || !Array.isArray(completion["values"])) {
      throw malformedError(subject, "without an array of values");
    }
    return readProposals(completion["values"], completion);
  });
}

function readProposals(all: readonly unknown[], { total, hasMore }: JsonObject): Completion {
  const values: string[] = [];
  for (const value of all) {
    if (values.length === mostValues) break;
    if (typeof value === "string" && value.length <= longestUri) values.push(value);
  }
  return freezeData({
    values,
    ...(typeof total === "number" && total >= 0 && { total }),
    hasMore: hasMore === true || values.length < all.length,
  });
}
