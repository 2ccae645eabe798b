/** So many tokens at once, one more every `stepMs`. */
export interface TokenRate {
  readonly burst: number;
  readonly stepMs: number;
}

/** So many units in all, or within each `perMs` from the first use on. */
export interface UnitBudget {
  readonly limit: number;
  readonly perMs: number | undefined;
}

/** One of it was taken. */
export interface Taken {
  readonly full: false;
  /**
   * Undoes it, where nothing is given that way which was never there. Rejects when the engine
   * fails.
   */
  giveBack(): Promise<void>;
}

/** There is nothing left. */
export interface Full {
  readonly full: true;
  readonly used: number;
  /** `undefined`: never, or nobody knows. */
  readonly retryAfterMs: number | undefined;
}

/**
 * Where all replicas count. Every key is a short text; all of it rejects, with whatever the client
 * gives, when the engine fails.
 */
export interface CountingEngine {
  /** For people. */
  readonly name: string;
  /** How large a budget may be, in units. */
  readonly mostUnits: number;
  takeToken(rate: TokenRate, key: string): Promise<Taken | Full>;
  /** Takes one unit of a budget. */
  takeUnit(budget: UnitBudget, key: string): Promise<Taken | Full>;
  /** Whether a budget is used up; takes nothing. */
  look(budget: UnitBudget, key: string): Promise<Full | undefined>;
  /** Counts units, also beyond the budget. */
  add(budget: UnitBudget, key: string, units: number): Promise<void>;
}
