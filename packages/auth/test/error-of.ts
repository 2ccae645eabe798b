import { isHostsideError, type HostsideError } from "@hostside/core";

/** What something rejects with. Throws when it does not, or with another kind of error. */
export async function errorOf(work: Promise<unknown>): Promise<HostsideError> {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!isHostsideError(error)) throw new Error(`no HostsideError: ${String(error)}`, { cause: error });
  return error;
}
