import { headWithin, type Utf8Head } from "@hostside/core/implement";
import type { Delimiters } from "./delimiters.ts";
import { cutMarker } from "./notices.ts";
import type { Pieces, TextPiece } from "./pieces.ts";
import type { PresentSettings } from "./present-options.ts";

/** A text that is to fit into the bounds of a presentation. */
export interface FittingText {
  /** Its place among the pieces. */
  readonly index: number;
  readonly piece: TextPiece;
  /** As much of it as could be shown if it were alone. */
  readonly most: Utf8Head;
}

/** Pieces that are to fit into the bounds of a presentation, and what surrounds them. */
export interface Fitting {
  readonly texts: readonly FittingText[];
  readonly rest: Pieces["rest"];
  readonly delimiters: Delimiters | undefined;
  readonly settings: PresentSettings;
}

/** Measures each text once, no further than the bound. */
export function prepareFitting(
  { pieces, rest }: Pieces,
  delimiters: Delimiters | undefined,
  settings: PresentSettings,
): Fitting {
  const texts = pieces.flatMap((piece, index): FittingText[] =>
    piece.kind === "text" ? [{ index, piece, most: headWithin(piece.text, settings.maxTextBytes) }] : [],
  );
  return { texts, rest, delimiters, settings };
}

/** The words after a text that was cut, on a line of their own. */
export function markerOf({ text, piece }: TextPiece, shown: number, { kept }: PresentSettings): string {
  return `\n${cutMarker({ text, shown, piece }, kept)}`;
}

/** What is between two texts, where they become one. */
export function jointOf({ mediaInWords }: PresentSettings): string {
  return mediaInWords ? "\n\n" : "";
}
