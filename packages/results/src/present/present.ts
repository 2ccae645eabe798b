import type { JsonObject, ToolOutcome } from "@hostside/core";
import { isJsonObject } from "@hostside/core/implement";
import type { Presented, PresentedBlock } from "../presented.ts";
import { assertSettled, member } from "./untrusted.ts";
import { presentEnvelope, type ResultEnvelope } from "./envelope.ts";
import { fitPieces } from "./fit-pieces.ts";
import { readOutcome, type SafeOutcome } from "./read-outcome.ts";
import { notice, readPieces } from "./read-pieces.ts";
import { plainStructured } from "./structured-json.ts";
import { readPresentOptions, type PresentOptions, type PresentSettings } from "./present-options.ts";

/** As what a result can be presented. */
export type PresentForm = "blocks" | "text" | "envelope" | "raw";

/**
 * Presents a result to a model, as blocks for any model API: bounded, each text well-formed and
 * none empty, media checked, structured content once, and a notice for all that is not shown. Pure,
 * synchronous, and linear in the size of the result. Never throws for any outcome, whoever made it;
 * a `TypeError` names the option that breaks a rule, and refuses a promise of an outcome.
 *
 * @example
 * const { blocks, isError } = present(outcome, "blocks", { maxTextBytes: 16_384 });
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
 * The prefix of a result that is an error, where a model API has no flag for that.
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

/** An outcome as blocks for a model API. */
export function presentBlocks(outcome: unknown, settings: PresentSettings): Presented {
  return presentRead(readOutcome(outcome, settings.maxBlocks), settings);
}

/** The same for an outcome that was read already, with `maxBlocks`. */
export function presentRead(safe: SafeOutcome, settings: PresentSettings): Presented {
  const found = readPieces(safe, settings);
  const fitted = fitPieces(found, safe, settings);
  const { json } = found;
  const blocks = fitted.blocks.length > 0 ? fitted.blocks : [nothing(safe)];
  // Between marks it is among the texts alone: as a value it would come without them.
  const whole = fitted.structuredWhole && json !== undefined && !settings.delimiters;
  return {
    blocks,
    isError: safe.isError,
    ...(whole ? { structured: plainStructured(json) } : {}),
    omitted: [...found.omitted, ...fitted.omitted],
    ...(safe.origin === undefined ? {} : { origin: safe.origin }),
  };
}

function nothing({ isError }: SafeOutcome): PresentedBlock {
  const text = isError ? "[the tool failed and says nothing else]" : "[the tool returned nothing]";
  return { type: "text", text: notice(text).head, part: "notice" };
}
