import type { Keeping, KeptPieces, OutcomePiece } from "../keeping.ts";

/** What was kept of a piece; nothing where nobody can say. */
export function keepingOf(kept: KeptPieces | undefined, piece: OutcomePiece | undefined): Keeping | undefined {
  try {
    return piece === undefined ? undefined : kept?.of(piece);
  } catch {
    // A notice without a handle is better than no result.
    return undefined;
  }
}

/** How the model gets what is not shown, as the end of a notice. */
export function wayTo(kept: KeptPieces | undefined, piece: OutcomePiece | undefined): string {
  const keeping = keepingOf(kept, piece);
  if (kept === undefined || keeping === undefined) return "";
  if ("handle" in keeping) return `; read it with ${kept.tool}, handle ${JSON.stringify(keeping.handle)}`;
  return `; it was not kept: ${keeping.notKept.slice(0, 200)}`;
}

/** A notice on a block that is not shown. */
export function notShown(what: string, why: string, way: string): string {
  return `[${what} is not shown: ${why}${way}]`;
}

/** The words after a text that was cut: how much of it is missing, in UTF-16 units, and how to get it. */
export function cutMarker(text: string, shown: number, way: string): string {
  const how = way === "" ? "; to see it, ask the tool for less at a time" : way;
  return `[${text.length - shown} of ${text.length} characters are not shown, from character ${shown} on${how}]`;
}

/** The words for all that there was no more room for. */
export function restNotice(count: number, way: string): string {
  return `[${count} more ${count === 1 ? "part" : "parts"} of the result ${count === 1 ? "is" : "are"} not shown${way}]`;
}
