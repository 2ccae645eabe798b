/** A promise and what resolves it. */
export interface Deferred {
  readonly promise: Promise<void>;
  readonly resolve: () => void;
}

/** Makes one that is pending. */
export function deferred(): Deferred {
  let resolve = (): void => {};
  const promise = new Promise<void>((done) => (resolve = done));
  return { promise, resolve: () => resolve() };
}
