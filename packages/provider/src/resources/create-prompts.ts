import { isPlainObject, kindOf, freezeData, isJsonObject, quoteText } from "@hostside/core/implement";
import { isHostsideError, HostsideError, truncateText, type Event, type JsonObject } from "@hostside/core";
import { complete, readCompletion, type Completion, type CompletionInput, type CompletionTarget } from "./complete.ts";
import {
  readAllPages,
  longestDescription,
  longestName,
  readListedEntry,
  createPageReader,
  type DroppedEntry,
  type ListDefinition,
  type PageReader,
} from "./list-server.ts";
import {
  assertReadOptions,
  type ServerFailure,
  type ListOptions,
  type ReadOptions,
  type ServerLists,
} from "./server-lists.ts";
import type { ListChange, ListSnapshot } from "./live-list.ts";
import { notOfferedError, type ResourceParts, type AskedSession } from "./ask-server.ts";
import {
  readFilledArguments,
  missingArguments,
  missingError,
  refusal,
  readMessages,
  type FilledArguments,
  type ArgumentsOwner,
  type FilledPrompt,
  type Prompt,
  type PromptTarget,
  type PromptArgument,
} from "./prompt.ts";
import { requestTimeoutMs } from "./resources-options.ts";

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
   * are no texts, or, for a prompt as it was listed, where required ones are missing.
   * `prompt_not_found` and `invalid_arguments`, which names what is missing, also where the server
   * finds it, in both eras: its list says which of them its refusal means. `unsupported_operation`
   * where the server has no prompts; `message_too_large` beyond 8,388,608 UTF-16 units
   * or 1,000 messages; `protocol_error`, `request_timeout`, `aborted`, `closed`, and whatever
   * connecting failed with.
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
      return await getPrompt(parts, { target, values }, options);
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
// https://modelcontextprotocol.io/specification/2025-11-25/server/prompts#error-handling and the same page of 2026-07-28 have -32602 both for a
// name that there is not and for arguments that are missing. Some servers say the former with
// -32002, as they do for resources, and those on the Python SDK with 0.
const unclearCodes: ReadonlySet<number | undefined> = new Set([-32_602, -32_002, 0]);

/**
 * Asks a server for a prompt, as `getPrompt()` of `Resources` says, with arguments that are texts.
 */
async function getPrompt(
  { asking }: ResourceParts,
  { target, values }: { readonly target: PromptTarget; readonly values: FilledArguments },
  options: ReadOptions,
): Promise<FilledPrompt> {
  const { serverId, name } = target;
  const { signal, context, meta, timeoutMs = requestTimeoutMs } = options;
  const owner = ownerOf(target);
  const missing = missingArguments(target.arguments ?? [], values);
  if (missing.length > 0) throw missingError(owner, missing);
  return asking.ask({ serverId, operation, timeoutMs, signal, context }, async (session) => {
    if (!isJsonObject(session.server.capabilities["prompts"])) throw notOfferedError({ serverId, operation });
    const params = { name, arguments: values, ...(meta && { _meta: meta }) };
    let result: JsonObject;
    try {
      result = await session.request(operation, params);
    } catch (reason) {
      if (!isHostsideError(reason, "server_error") || !unclearCodes.has(reason.details.rpcCode)) throw reason;
      const reader = createPageReader(promptKind, serverId);
      throw await explain(reason, { session, reader, target, values, meta });
    }
    const { description, _meta: resultMeta } = result;
    return freezeData({
      serverId,
      name,
      ...(typeof description === "string" && { description: truncateText(description, longestDescription) }),
      ...readMessages(result, serverId),
      ...(isJsonObject(resultMeta) && { meta: resultMeta }),
    });
  });
}

function ownerOf({ serverId, name }: PromptTarget): ArgumentsOwner {
  return { serverId, what: `prompt ${quoteText(name)}` };
}

interface Refused {
  readonly session: AskedSession;
  readonly reader: PageReader<Prompt>;
  readonly target: PromptTarget;
  readonly values: FilledArguments;
  readonly meta: JsonObject | undefined;
}

/**
 * What a server meant that refused a prompt, by what it lists. Where that cannot be had, its own
 * word stands.
 */
async function explain(reason: HostsideError, refused: Refused): Promise<HostsideError> {
  const { session, reader, target, values, meta } = refused;
  try {
    await readAllPages(session, { kind: promptKind, reader, meta });
  } catch (failure) {
    // Sessions that are lost and time that is up are what counts now.
    if (!isHostsideError(failure) || failure.code === "server_error" || failure.code === "protocol_error")
      return reason;
    if (failure.code === "listing_truncated") return reason;
    return failure;
  }
  const listed = reader.listing().entries.find(({ name }) => name === target.name);
  const owner = ownerOf(target);
  if (listed === undefined) {
    const message = `server ${JSON.stringify(target.serverId)} has no prompt ${quoteText(target.name)}`;
    const { details } = reason;
    return new HostsideError(message, {
      code: "prompt_not_found",
      serverId: target.serverId,
      details,
      cause: reason,
    });
  }
  const missing = missingArguments(listed.arguments, values);
  if (missing.length > 0) return missingError(owner, missing, { outcome: "failed", cause: reason });
  if (reason.details.rpcCode !== -32_602) return reason;
  return refusal(owner, "was refused for its arguments", { outcome: "failed", cause: reason });
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
