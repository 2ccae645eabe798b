import type { Fence } from "./fence.ts";
import { cutMarker, wayTo } from "./notices.ts";
import type { MediaPiece, Pieces, TextPiece } from "./pieces.ts";
import type { PresentSettings } from "./present-options.ts";

/** Pieces that are to fit into the bounds of a presentation, and what surrounds them. */
export interface Fitting {
  readonly pieces: readonly (TextPiece | MediaPiece)[];
  readonly rest: Pieces["rest"];
  readonly fence: Fence | undefined;
  readonly settings: PresentSettings;
}

/** The words after a text that was cut, on a line of their own. */
export function markerOf({ text, piece }: TextPiece, shown: number, { kept }: PresentSettings): string {
  return `\n${cutMarker(text, shown, wayTo(kept, piece))}`;
}
