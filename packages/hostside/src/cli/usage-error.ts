/**
 * The command line is wrong, or nobody could be asked: a message, and what to do in place of it.
 * Ends a command with `exitCodes.usage`.
 */
export class UsageError extends Error {
  override readonly name: string = "UsageError";
  /** A line that says what would be right: a near name, or a command. */
  readonly hint: string | undefined;

  constructor(message: string, hint?: string) {
    super(message);
    this.hint = hint;
  }
}

/**
 * What a command throws that was asked for something it cannot be asked for. `hint`: what would be
 * right, as a line of its own.
 */
export function usageError(message: string, hint?: string): UsageError {
  return new UsageError(message, hint);
}
