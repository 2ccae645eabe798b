import type { OutcomePiece } from "../keeping.ts";
import type { Omission, PresentedMedia, TextPart } from "../presented.ts";

/** A text of a presentation before it is cut and delimited. */
export interface TextPiece {
  readonly kind: "text";
  readonly part: TextPart;
  /** Shown before the text, and never cut: where it is from. Empty for most. */
  readonly head: string;
  readonly text: string;
  /** Written by a server, and so between marks where there are any. */
  readonly foreign: boolean;
  /** What of the outcome it is; absent for words of ours. */
  readonly piece?: OutcomePiece | undefined;
  /** The type of its block; `structured` for structured content. */
  readonly label: string;
}

/** A picture, a sound or a file of a presentation. */
export interface MediaPiece {
  readonly kind: "media";
  readonly media: PresentedMedia;
}

/** What an outcome is made of, in its order. */
export interface Pieces {
  readonly pieces: readonly (TextPiece | MediaPiece)[];
  readonly omitted: readonly Omission[];
  /** JSON of the structured content, where there is one. */
  readonly json: string | undefined;
  /** The place of the piece that shows the structured content. */
  readonly structuredAt: number | undefined;
  /** The first block that was not looked at, and how many there are. */
  readonly rest: { readonly from: number; readonly count: number } | undefined;
}
