/**
 * Which piece of an outcome: a block of its content by its index, its structured content, or all
 * blocks from an index on.
 */
export type OutcomePiece =
  | { readonly part: "block"; readonly index: number }
  | { readonly part: "structured" }
  | { readonly part: "rest"; readonly from: number };

/** What was kept of a piece. */
export interface KeptPiece {
  /** By which a model can read it. */
  readonly handle: string;
  /** How many characters a text has, in code points; `undefined` for what is no text. */
  readonly characters?: number | undefined;
  /** Where other programs of this machine find it, when it is a file: for products that say so. */
  readonly path?: string | undefined;
}

/**
 * What became of a piece that is not shown whole: what was kept of it, or why it was not kept, in
 * words for a model.
 */
export type KeepResult = KeptPiece | { readonly notKept: string };

/** What was kept of one outcome, for the notices on what is not shown. */
export interface KeptPieces {
  /**
   * The name of the tool that reads what was kept: `results_read`, unless the product has another
   * one.
   */
  readonly tool: string;
  /** `undefined` for a piece that nobody tried to keep. */
  of(piece: OutcomePiece): KeepResult | undefined;
}
