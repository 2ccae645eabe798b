import type { AuthorizationCompletion } from "./complete-authorization.ts";
import type { Elsewhere } from "./wait-for-user.ts";

/** Hands on what `complete()` was called with to the sign-in of this process that waits for it. */
export interface PendingCallbacks {
  /** Waits for `complete()` with this `state`: from right before a page is shown until `end()`. */
  expect(state: string): Elsewhere & { readonly end: () => void };
  /** Somebody is about to complete it. */
  begin(state: string): CallbackHandling;
}

/** One `complete()`. */
export interface CallbackHandling {
  /** What came of it. */
  resolve(completion: AuthorizationCompletion): void;
  end(): void;
}

interface Expected {
  readonly resolve: (completion: AuthorizationCompletion) => void;
  busy: number;
}

/** Makes one. */
export function createPendingCallbacks(): PendingCallbacks {
  const expected = new Map<string, Expected>();
  return {
    expect(state) {
      let resolve: (completion: AuthorizationCompletion) => void = () => {};
      const answer = new Promise<AuthorizationCompletion>((settle) => (resolve = settle));
      const entry: Expected = { resolve, busy: 0 };
      expected.set(state, entry);
      return { answer, isBusy: () => entry.busy > 0, end: () => void expected.delete(state) };
    },
    begin(state) {
      const entry = expected.get(state);
      if (entry === undefined) return { resolve: () => {}, end: () => {} };
      entry.busy += 1;
      return { resolve: entry.resolve, end: () => void (entry.busy -= 1) };
    },
  };
}
