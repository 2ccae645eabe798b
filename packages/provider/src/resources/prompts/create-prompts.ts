import { isPlainObject, kindOf, unknownServerError } from "@hostside/core/implement";
import type { Event } from "@hostside/core";
import {
  complete,
  readCompletion,
  type Completion,
  type CompletionInput,
  type CompletionTarget,
} from "../completing/complete.ts";
import type { DroppedEntry } from "../listing/list-kind.ts";
import type { ServerFailure } from "../listing/list-servers.ts";
import type { ListChange, ListSnapshot } from "../listing/live-list.ts";
import {
  assertReadOptions,
  createServerLists,
  type ListOptions,
  type ReadOptions,
  type ServerLists,
} from "../listing/server-lists.ts";
import type { ResourceParts } from "../resource-parts.ts";
import { readFilledArguments, type FilledArguments } from "./check-arguments.ts";
import { getPrompt } from "./get-prompt.ts";
import { promptKind } from "./prompt-kind.ts";
import type { FilledPrompt, Prompt, PromptTarget } from "./prompt.ts";

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
   * where the server has no prompts; `message_too_large` beyond `maxContentLength` or
   * `maxContents`; `protocol_error`, `request_timeout`, `aborted`, `closed`, and whatever
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

/** Makes the part for prompts, and the list that follows the provider. */
export function createPrompts(parts: ResourceParts): { readonly list: ServerLists<Prompt>; readonly prompts: Prompts } {
  const { provider, asking } = parts;
  const list = createServerLists(parts, promptKind, "listPrompts()");
  const assertServer = (caller: string, serverId: unknown): void => {
    if (typeof serverId !== "string")
      throw new TypeError(`${caller} needs the id of a server, not ${kindOf(serverId)}`);
    asking.assertOpen();
    const ids = provider.serverIds();
    if (!ids.includes(serverId)) throw unknownServerError(serverId, ids);
  };
  const prompts: Prompts = {
    async listPrompts(options) {
      const { entries, ...rest } = await list.list(options);
      return { prompts: entries, ...rest };
    },
    async getPrompt(target, args = {}, options = {}) {
      if (!isPlainObject(target)) throw new TypeError(`getPrompt() needs { serverId, name }, not ${kindOf(target)}`);
      assertReadOptions("getPrompt()", options);
      const { serverId, name } = target;
      if (typeof name !== "string" || name === "") throw new TypeError("getPrompt() needs the name of a prompt");
      assertServer("getPrompt()", serverId);
      const values = readFilledArguments(args, { serverId, what: "a prompt" });
      return await getPrompt(parts, { target, values }, options);
    },
    async complete(target, input, options = {}) {
      const params = readCompletion(target, input);
      assertReadOptions("complete()", options);
      const { serverId } = target;
      assertServer("complete()", serverId);
      return await complete(parts, { serverId, params }, options);
    },
    promptSnapshot: list.snapshot,
    onPromptsChanged: list.onChanged,
  };
  return { list, prompts };
}
