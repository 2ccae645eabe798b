import { cleanText, isHostsideError } from "@hostside/core";
import { terminalLine } from "../../render/one-line.ts";
import type { FailureFacts } from "../facts.ts";

// The reason stands at the beginning or at the end, or it says that it is one; a stack or a usage
// text is the rest.
const firstLines = 2;
const lastLines = 3;
const tellingLines = 3;
const isTelling = /\b\w*(?:error|exception)\b|\bcannot\b|\bfailed\b|\bfatal\b|\bnot found\b/i;

/** What went wrong, fit to be shown. */
export function failureFacts(error: unknown): FailureFacts {
  if (!isHostsideError(error))
    return { code: "internal_error", message: terminalLine(error instanceof Error ? error.message : String(error)) };
  const { code, rawMessage, details } = error;
  const { httpStatus, stderrTail = "" } = details;
  const stderr = shorten(stderrTail);
  // A message quotes the end of stderr, which is shown by itself.
  const [message = ""] = rawMessage.split("\n");
  return {
    code,
    message: terminalLine(message.replace(/;? its stderr:$/, "")),
    ...(httpStatus !== undefined && { httpStatus }),
    ...(stderr.length > 0 && { stderr }),
  };
}

/** The first and the last lines of a text, and those between that tell the most. */
export function shorten(text: string): readonly string[] {
  const lines = cleanText(text, 20_000)
    .split("\n")
    .map((line) => cleanText(line.trimEnd(), 300))
    .filter((line) => line.trim() !== "");
  if (lines.length <= firstLines + tellingLines + lastLines) return lines;
  const kept = new Set([...lines.keys()].filter((at) => at < firstLines || at >= lines.length - lastLines));
  let telling = 0;
  for (const [at, line] of lines.entries()) {
    if (telling === tellingLines) break;
    if (kept.has(at) || !isTelling.test(line)) continue;
    kept.add(at);
    telling += 1;
  }
  return lines.flatMap((line, at) => (kept.has(at) ? [line] : kept.has(at - 1) ? ["…"] : []));
}
