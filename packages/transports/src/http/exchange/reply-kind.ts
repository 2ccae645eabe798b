import type { HttpReply } from "./http-exchange.ts";

/**
 * What a reply is, by its status and media type: `refused` is anything but a success, `accepted` a
 * success that promises no body, `other` a success with a body that MCP does not know.
 */
export type ReplyKind = "accepted" | "events" | "json" | "other" | "refused";

/** Tells the kind of a reply. */
export function replyKindOf({ status, header }: Pick<HttpReply, "header" | "status">): ReplyKind {
  if (status < 200 || status > 299) return "refused";
  if (status === 202 || status === 204 || status === 205) return "accepted";
  const contentType = header("content-type") ?? "";
  // As nearly every server writes them.
  if (contentType === "application/json") return "json";
  if (contentType === "text/event-stream") return "events";
  const end = contentType.indexOf(";");
  const mediaType = (end === -1 ? contentType : contentType.slice(0, end)).trim().toLowerCase();
  if (mediaType === "text/event-stream") return "events";
  return mediaType === "application/json" ? "json" : "other";
}
