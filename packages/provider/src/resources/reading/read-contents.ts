import { HostsideError, type JsonObject } from "@hostside/core";
import { isJsonObject } from "@hostside/core/implement";
import { malformedError } from "../asking/ask-errors.ts";
import { longestMimeType, longestUri } from "../listing/read-entry.ts";
import type { ResourceContents } from "@hostside/core";

/** How much one read may bring. */
export interface ReadLimits {
  /** UTF-16 units of all texts and all base64 of one read. */
  readonly maxContentLength: number;
  /** Pieces of one read. */
  readonly maxContents: number;
}

/** What a resource holds. */
export interface ReadContents {
  readonly contents: readonly ResourceContents[];
  /** Pieces that could not be used: the first 100. */
  readonly dropped: readonly { readonly index: number; readonly reason: string }[];
}

const mostReasons = 100;

/**
 * Reads the result of `resources/read`, piece by piece: one that is malformed costs itself. What is
 * too much is refused as a whole, and never cut: half a picture or half a JSON text is worse than
 * none. Throws `protocol_error` for a result without an array of contents, and `message_too_large`,
 * which says how much there was.
 */
export function readContents(result: JsonObject, serverId: string, limits: ReadLimits): ReadContents {
  const subject = { serverId, operation: "resources/read" };
  const values: unknown = result["contents"] === null ? [] : result["contents"];
  if (!Array.isArray(values)) throw malformedError(subject, "without an array of contents");
  const { maxContents, maxContentLength } = limits;
  if (values.length > maxContents) throw tooLarge(serverId, { used: values.length, limit: maxContents }, "pieces");
  const contents: ResourceContents[] = [];
  const dropped: { index: number; reason: string }[] = [];
  let used = 0;
  for (const [index, value] of (values as readonly unknown[]).entries()) {
    const piece = readPiece(value);
    if (typeof piece === "string") {
      if (dropped.length < mostReasons) dropped.push({ index, reason: piece });
      continue;
    }
    used += piece.text?.length ?? piece.blob?.length ?? 0;
    contents.push(piece);
  }
  if (used > maxContentLength) throw tooLarge(serverId, { used, limit: maxContentLength }, "UTF-16 units");
  return { contents, dropped };
}

function readPiece(value: unknown): ResourceContents | string {
  if (!isJsonObject(value)) return "it is no object";
  const { uri, text, blob, mimeType, _meta: meta } = value;
  if (typeof uri !== "string") return "its uri is no text";
  if (uri.length > longestUri) return `its uri is longer than ${longestUri} UTF-16 units`;
  const isFit = typeof mimeType === "string" && mimeType.length <= longestMimeType;
  const extras = { ...(isFit && { mimeType }), ...(isJsonObject(meta) && { _meta: meta }) };
  if (typeof text === "string") return { uri, text, ...extras };
  if (typeof blob === "string") return { uri, blob, ...extras };
  return "it has neither a text nor a blob";
}

function tooLarge(
  serverId: string,
  usage: { readonly used: number; readonly limit: number },
  unit: string,
): HostsideError {
  const message = `a resource of server ${JSON.stringify(serverId)} has ${usage.used} ${unit}; at most ${usage.limit} are taken`;
  return new HostsideError(message, {
    code: "message_too_large",
    serverId,
    outcome: "failed",
    details: { operation: "resources/read", usage },
  });
}
