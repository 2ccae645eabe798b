import type { PresentedMedia } from "../presented.ts";
import type { KeptItem } from "../keep/kept-item.ts";
import type { TextMatch } from "./find-text.ts";

/** A part of a text that was kept. */
export interface TextPage {
  readonly kind: "text";
  readonly item: KeptItem;
  readonly text: string;
  /** Its first character, in code points. */
  readonly offset: number;
  /** Of the whole text. */
  readonly total: number;
  /** Where it goes on; absent at the end. */
  readonly next?: number | undefined;
}

/** Where a query was found. */
export interface TextMatches {
  readonly kind: "matches";
  readonly item: KeptItem;
  readonly matches: readonly TextMatch[];
  /** Of the whole text. */
  readonly total: number;
  /** The `offset` that brings the matches after those; absent when there are no more. */
  readonly next?: number | undefined;
}

/** Bytes that were kept, as base64. */
export interface BytesPage {
  readonly kind: "bytes";
  readonly item: KeptItem;
  readonly base64: string;
  /** Its first byte. */
  readonly offset: number;
  readonly next?: number | undefined;
}

/** A medium that a model may have whole. */
export interface KeptMedia {
  readonly kind: "media";
  readonly item: KeptItem;
  readonly media: PresentedMedia;
}

/** What is known of bytes that are no medium a model may have. */
export interface BytesFacts {
  readonly kind: "facts";
  readonly item: KeptItem;
}

/**
 * Why nothing was read. `"unknown-handle"`: nobody kept anything under it, or it is over, or it is
 * another conversation's; which of these is not said.
 */
export interface ReadFailure {
  readonly kind: "failed";
  readonly reason: "bad-arguments" | "unknown-handle" | "no-text" | "beyond-the-end" | "unavailable";
  /** For a model. */
  readonly message: string;
}

/** What a request brings. */
export type ReadAnswer = TextPage | TextMatches | BytesPage | KeptMedia | BytesFacts | ReadFailure;
