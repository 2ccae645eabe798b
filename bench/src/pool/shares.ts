/** How much each conversation got; what is of the greedy one is in `greedy` alone. */
export interface Shares {
  /** 1 where all have the same. */
  readonly jain: number;
  /** Of the median. */
  readonly worst: number;
  readonly greedy: number;
  readonly medianMs: number;
  readonly refused: number;
}
