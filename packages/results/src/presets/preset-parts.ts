import { isKnownContent } from "@toolport/core";
import { checkBase64 } from "../media/base64.ts";
import type { SafeOutcome } from "../present/read-outcome.ts";
import { repeatsStructured, writeStructured, type StructuredJson } from "../present/structured-json.ts";

/** How many bytes base64 is, decoded; of a text that is none, how long it is. */
export function decodedSize(data: string): number {
  const checked = checkBase64(data);
  return checked.kind === "good" ? checked.bytes : data.length;
}

/** The structured content, where there is one that no text of the result says. */
export function unsaidStructured({ structured, blocks }: SafeOutcome): StructuredJson | undefined {
  if (structured === undefined) return undefined;
  const written = writeStructured(structured.value);
  if (written.kind === "not-json") return written;
  const isSaid = blocks.some(
    (block) =>
      block !== undefined &&
      isKnownContent(block) &&
      block.type === "text" &&
      repeatsStructured(block.text, written.json),
  );
  return isSaid ? undefined : written;
}
