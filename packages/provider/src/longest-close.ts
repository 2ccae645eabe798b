// A connection closes within three steps of `closeMs`; twice that is for one that breaks its word.
const closeSteps = 6;

/** How long the end of a session is waited for, in milliseconds. */
export function sessionCloseMs(closeMs: number): number {
  return closeSteps * closeMs;
}
