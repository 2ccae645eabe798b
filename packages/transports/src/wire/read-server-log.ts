import type { ServerLog } from "@hostside/core";
import { isJsonObject } from "@hostside/core/implement";
import { toJson } from "../text/quote-json.ts";
import { safeExcerpt } from "../text/safe-excerpt.ts";

// RFC 5424; what a server calls a level and is none of these counts as "info".
const levels = new Set(["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"]);
const longestLine = 4096;

/**
 * The log line in the parameters of a `notifications/message`: cleaned, bounded, without this
 * server's secrets.
 */
export function readServerLog(params: unknown, redact: (text: string) => string): ServerLog {
  const { level, logger, data } = isJsonObject(params) ? params : {};
  const body = typeof data === "string" ? data : (toJson(data) ?? "");
  const text = typeof logger === "string" && logger !== "" ? `${logger}: ${body}` : body;
  return {
    source: "notification",
    level: typeof level === "string" && levels.has(level) ? level : "info",
    text: safeExcerpt(text, redact, longestLine),
  };
}
