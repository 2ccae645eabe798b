/**
 * Why a command is to end when nobody reads what it writes: no failure, as in
 * `hostside list | head -1`.
 */
export class OutputClosed extends Error {
  override readonly name: string = "OutputClosed";
}

/**
 * Why a command is to end when something threw where nobody could catch it. People have read
 * `cause` already.
 */
export class Crashed extends Error {
  override readonly name: string = "Crashed";
}
