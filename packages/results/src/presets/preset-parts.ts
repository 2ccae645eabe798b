import { isKnownContent } from "@hostside/core";
import { checkBase64 } from "@hostside/core/implement";
import type { SafeOutcome } from "../present/read-outcome.ts";
import { repeatsStructured, structuredBesideBlocks, type StructuredJson } from "../present/structured-json.ts";

/** How many bytes base64 is, decoded; of a text that is none, how long it is. */
export function decodedSize(data: string): number {
  const checked = checkBase64(data);
  return checked.kind === "good" ? checked.bytes : data.length;
}

/**
 * The structured content, where there is one that no text and no other block of the result says.
 */
export function unsaidStructured(outcome: SafeOutcome): StructuredJson | undefined {
  const written = structuredBesideBlocks(outcome);
  if (written?.kind !== "json") return written;
  const isSaid = outcome.blocks.some(
    (block) =>
      block !== undefined &&
      isKnownContent(block) &&
      block.type === "text" &&
      repeatsStructured(block.text, written.json),
  );
  return isSaid ? undefined : written;
}
