import { isToolportError, type ToolportError } from "@toolport/core";

/** What something rejects with. Throws when it does not, or with another kind of error. */
export async function errorOf(work: Promise<unknown>): Promise<ToolportError> {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!isToolportError(error)) throw new Error(`no ToolportError: ${String(error)}`, { cause: error });
  return error;
}
