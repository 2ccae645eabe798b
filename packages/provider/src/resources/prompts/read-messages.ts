import { readContent, HostsideError, type JsonObject } from "@hostside/core";
import { isJsonObject } from "@hostside/core/implement";
import { malformedError } from "../asking/ask-errors.ts";
import type { ReadLimits } from "../reading/read-contents.ts";
import type { FilledPrompt, PromptMessage } from "./prompt.ts";

const mostReasons = 100;
const operation = "prompts/get";

/**
 * Reads the messages of a `prompts/get`, one by one: a malformed one costs itself. What is too much
 * is refused as a whole, and never cut. Throws `protocol_error` for a result without an array of
 * messages, and `message_too_large`, which says how much there was.
 */
export function readMessages(
  { messages }: JsonObject,
  serverId: string,
  { maxContents, maxContentLength }: ReadLimits,
): Pick<FilledPrompt, "messages" | "dropped"> {
  const values: unknown = messages === null ? [] : messages;
  if (!Array.isArray(values)) throw malformedError({ serverId, operation }, "without an array of messages");
  const tooLarge = (used: number, limit: number, unit: string): HostsideError =>
    new HostsideError(
      `a prompt of server ${JSON.stringify(serverId)} has ${used} ${unit}; at most ${limit} are taken`,
      { code: "message_too_large", serverId, outcome: "failed", details: { operation, usage: { used, limit } } },
    );
  if (values.length > maxContents) throw tooLarge(values.length, maxContents, "messages");
  const read: PromptMessage[] = [];
  const dropped: { index: number; reason: string }[] = [];
  let used = 0;
  for (const [index, value] of (values as readonly unknown[]).entries()) {
    const message = readMessage(value);
    if (typeof message === "string") {
      if (dropped.length < mostReasons) dropped.push({ index, reason: message });
      continue;
    }
    used += lengthOf(message.content);
    read.push(message);
  }
  if (used > maxContentLength) throw tooLarge(used, maxContentLength, "UTF-16 units");
  return { messages: read, dropped };
}

function readMessage(value: unknown): PromptMessage | string {
  if (!isJsonObject(value)) return "it is no object";
  const { role, content: given } = value;
  // A server that could speak as anybody else would speak as the host.
  if (role !== "user" && role !== "assistant") return "its role is neither user nor assistant";
  const [content] = readContent([given]);
  const kind: string | undefined = content?.type;
  return content === undefined || kind === "malformed:block" ? "its content is no block" : { role, content };
}

// What does not come off a wire may be nested or cyclic beyond what can be written.
function lengthOf(content: PromptMessage["content"]): number {
  try {
    return JSON.stringify(content).length;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
