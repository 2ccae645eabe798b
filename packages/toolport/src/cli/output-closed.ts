/** Why a command is to end when nobody reads what it writes: no failure, as in `toolport list | head -1`. */
export class OutputClosed extends Error {
  override readonly name: string = "OutputClosed";
}
