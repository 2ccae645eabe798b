import type { JsonObject, ToolOutcome } from "@hostside/core";
import { isJsonObject } from "@hostside/core/implement";
import type { Presented } from "../presented.ts";
import { assertSettled } from "./assert-settled.ts";
import { presentEnvelope, type ResultEnvelope } from "./envelope.ts";
import { presentBlocks } from "./present-blocks.ts";
import { readPresentOptions, type PresentOptions, type PresentSettings } from "./present-options.ts";
import { member } from "./member.ts";

/** As what a result can be presented. */
export type PresentForm = "blocks" | "text" | "envelope" | "raw";

/**
 * What a model gets of a result, as blocks for any model API: bounded, each text well-formed and
 * none empty, media checked, structured content once, and a notice for all that is not shown. Pure,
 * synchronous, and linear in the size of the result. Never throws for any outcome, whoever made it;
 * a `TypeError` names the option that breaks a rule, and refuses a promise of an outcome.
 */
export function present(outcome: ToolOutcome, form: "blocks", options?: PresentOptions): Presented;
/**
 * The same as one text, in which words stand for media. A result that is an error begins with
 * `[tool error] `.
 */
export function present(outcome: ToolOutcome, form: "text", options?: PresentOptions): string;
/** The result whole, with its origin: for audits, never for a model. Takes no options. */
export function present(outcome: ToolOutcome, form: "envelope"): ResultEnvelope;
/** The server's result object, unchanged; never for a model. Takes no options. */
export function present(outcome: ToolOutcome, form: "raw"): JsonObject;
export function present(
  outcome: ToolOutcome,
  form: PresentForm,
  options?: PresentOptions,
): Presented | string | ResultEnvelope | JsonObject {
  assertSettled("present()", outcome);
  switch (form) {
    case "blocks":
      return presentBlocks(outcome, readPresentOptions("present()", options));
    case "text":
      return presentText(outcome, readPresentOptions("present()", options));
    case "envelope":
      return presentEnvelope(outcome);
    case "raw": {
      const raw = member(outcome, "raw");
      return isJsonObject(raw) ? raw : {};
    }
    default:
      throw new TypeError('present() takes a form: "blocks", "text", "envelope" or "raw"');
  }
}

/**
 * What stands before the text of a result that is an error, where a model API has no flag for that.
 */
const toolErrorPrefix = "[tool error] ";

/**
 * An outcome as one text: blocks parted by blank lines, with words in the place of each medium, all
 * within the bounds.
 */
function presentText(outcome: unknown, settings: PresentSettings): string {
  const { blocks, isError } = presentBlocks(outcome, {
    ...settings,
    mediaInWords: true,
    maxTextBytes: settings.maxTextBytes - toolErrorPrefix.length,
  });
  const text = blocks.map((block) => (block.type === "text" ? block.text : "")).join("\n\n");
  return isError ? toolErrorPrefix + text : text;
}
