import { codePointsIn } from "./untrusted.ts";
import type { KeepResult, KeptPieces, OutcomePiece } from "../presented.ts";

/** The handle of a piece that was kept, as a member of an omission. */
export function handleOf(kept: KeptPieces | undefined, piece: OutcomePiece | undefined): { readonly handle?: string } {
  const handle = piece && kept?.of(piece)?.handle;
  return handle === undefined ? {} : { handle };
}

/** How the model gets what is not shown, as the end of a notice. */
export function wayTo(kept: KeptPieces | undefined, piece: OutcomePiece | undefined): string {
  const { handle, notKept, path } = (piece && kept?.of(piece)) ?? {};
  if (handle !== undefined) return `; to read it: ${kept?.tool} ${JSON.stringify({ handle })}${inFile(path)}`;
  return notKept === undefined ? "" : `; it was not kept: ${notKept.slice(0, 200)}`;
}

function inFile(path: KeepResult["path"]): string {
  return path === undefined ? "" : `, or the file ${JSON.stringify(path)}`;
}

/** The parts of the words after a text that was cut. */
export interface CutTextNotice {
  readonly text: string;
  /** In UTF-16 units. */
  readonly shown: number;
  readonly piece: OutcomePiece | undefined;
}

/**
 * The words after a text that was cut: how much of it is missing, and how to get it. Kept text is
 * counted in code points, as it is read. Other text is counted in UTF-16 units: it is no use to
 * count millions of characters that nobody can read.
 */
export function cutMarker({ text, shown, piece }: CutTextNotice, kept: KeptPieces | undefined): string {
  const { handle, characters, path } = (piece && kept?.of(piece)) ?? {};
  if (handle !== undefined && characters !== undefined) {
    // Of all of it, nothing is missing: it is asked only how long the words may become.
    const offset = shown === text.length ? characters : codePointsIn(text, 0, shown);
    const missing = shown === text.length ? characters : characters - offset;
    const way = `${kept?.tool} ${JSON.stringify({ handle, offset })}`;
    return `[${missing} of ${characters} characters are not shown; to read on: ${way}${inFile(path)}]`;
  }
  const way = wayTo(kept, piece);
  const how = way === "" ? "; to see it, ask the tool for less at a time" : way;
  return `[${text.length - shown} of ${text.length} characters are not shown, from character ${shown} on${how}]`;
}

/** The words for all that there was no more room for. */
export function restNotice(count: number, way: string): string {
  return `[${count} more ${count === 1 ? "part" : "parts"} of the result ${count === 1 ? "is" : "are"} not shown${way}]`;
}
