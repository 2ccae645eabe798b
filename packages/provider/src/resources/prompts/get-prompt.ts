import { isHostsideError, HostsideError, truncateText, type JsonObject } from "@hostside/core";
import { freezeData, isJsonObject, quoteText } from "@hostside/core/implement";
import { notOfferedError } from "../asking/ask-errors.ts";
import type { AskedSession } from "../asking/ask-server.ts";
import { readAllPages } from "../listing/list-server.ts";
import { longestDescription } from "../listing/read-entry.ts";
import { createPageReader, type PageReader } from "../listing/read-pages.ts";
import type { ReadOptions } from "../listing/server-lists.ts";
import type { ResourceParts } from "../resource-parts.ts";
import {
  missingArguments,
  missingError,
  refusal,
  type ArgumentsOwner,
  type FilledArguments,
} from "./check-arguments.ts";
import { promptKind } from "./prompt-kind.ts";
import type { FilledPrompt, Prompt, PromptTarget } from "./prompt.ts";
import { readMessages } from "./read-messages.ts";

const operation = "prompts/get";
// https://modelcontextprotocol.io/specification/2025-11-25/server/prompts#error-handling and the same page of 2026-07-28 have -32602 both for a
// name that there is not and for arguments that are missing. Some servers say the former with
// -32002, as they do for resources, and those on the Python SDK with 0.
const unclearCodes: ReadonlySet<number | undefined> = new Set([-32_602, -32_002, 0]);

/**
 * Asks a server for a prompt, as `getPrompt()` of `Resources` says, with arguments that are texts.
 */
export async function getPrompt(
  { asking, settings }: ResourceParts,
  { target, values }: { readonly target: PromptTarget; readonly values: FilledArguments },
  options: ReadOptions,
): Promise<FilledPrompt> {
  const { serverId, name } = target;
  const { signal, context, meta, timeoutMs = settings.requestTimeoutMs } = options;
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
      const reader = createPageReader(promptKind, serverId, settings.listLimits);
      throw await explain(reason, { session, reader, target, values, meta });
    }
    const { description, _meta: resultMeta } = result;
    return freezeData({
      serverId,
      name,
      ...(typeof description === "string" && { description: truncateText(description, longestDescription) }),
      ...readMessages(result, serverId, settings.readLimits),
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
