/** A promise, and what settles it as another one does. */
export interface Deferred {
  readonly promise: Promise<void>;
  readonly resolve: (work: Promise<void>) => void;
}

/** For what has to be known before it begins: what it does may come back here. */
export function deferred(): Deferred {
  let resolve: Deferred["resolve"] = () => undefined;
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
