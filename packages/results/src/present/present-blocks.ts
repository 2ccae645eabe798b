import type { Presented, PresentedBlock } from "../presented.ts";
import { fitPieces } from "./fit-pieces.ts";
import type { PresentSettings } from "./present-options.ts";
import { notice, readPieces } from "./read-pieces.ts";
import { readOutcome, type SafeOutcome } from "./read-outcome.ts";
import { plainStructured } from "./structured-json.ts";

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
  const whole = fitted.structuredWhole && json !== undefined && settings.delimiters === undefined;
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
