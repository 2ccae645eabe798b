import type { KeptItem } from "../keep/create-handles.ts";
import type { PresentedMedia } from "../presented.ts";
import type { TextMatch } from "./find-text.ts";

/** What a model asks of something that was kept. */
export interface ReadRequest {
  readonly handle: string;
  /**
   * From which character on, or for what is no text from which byte on. Default: from the
   * beginning.
   */
  readonly offset?: number | undefined;
  /** How many characters, or bytes; with a query, how many matches. */
  readonly limit?: number | undefined;
  /** A plain text to look for, whatever its case. */
  readonly query?: string | undefined;
}

/**
 * What a request brings: a page of a text, places where a query was found, a page of bytes as
 * base64, a medium that a model may have whole, what is known of other bytes, or why nothing was
 * read. `offset`, `total` and `next` count code points of texts, and bytes of bytes; `next` is
 * absent at the end.
 */
export type ReadAnswer =
  | ({ readonly kind: "text"; readonly text: string; readonly total: number } & Page)
  | ({ readonly kind: "matches"; readonly matches: readonly TextMatch[]; readonly total: number } & Omit<
      Page,
      "offset"
    >)
  | ({ readonly kind: "bytes"; readonly base64: string } & Page)
  | { readonly kind: "media"; readonly item: KeptItem; readonly media: PresentedMedia }
  | { readonly kind: "facts"; readonly item: KeptItem }
  | ReadFailure;

interface Page {
  readonly item: KeptItem;
  readonly offset: number;
  readonly next?: number | undefined;
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
