/** A mistake that somebody could make, and the test that has to find it. */
export interface PolicyMutant {
  /** What is wrong then. */
  readonly bug: string;
  /** Each `find` is in its file exactly once. */
  readonly patches: readonly { readonly file: string; readonly find: string; readonly replace: string }[];
  /** A file of tests, from the root of the repository. */
  readonly test: string;
}
