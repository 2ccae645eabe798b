import { ToolportError } from "@toolport/core";
import type { Demand } from "../link/link-event.ts";
import { toToolportError } from "../to-toolport-error.ts";
import type { Registration } from "./registration.ts";
import { operationError } from "./server-operations.ts";

/** One server that could not be brought up. */
export interface Failure {
  readonly registration: Registration;
  readonly error: ToolportError;
}

/**
 * Brings all these servers up at the same time, and returns those that failed, in their order. Servers that are disabled are passed
 * over, and so are those whose registration ends meanwhile. Throws `aborted` when the caller gives up.
 */
export async function bringUp(
  registrations: readonly Registration[],
  demand: Demand,
  { operation, signal }: { readonly operation: string; readonly signal?: AbortSignal | undefined },
): Promise<readonly Failure[]> {
  const wanted = registrations.filter(({ link }) => link.state.kind !== "disabled");
  const outcomes = await Promise.all(
    wanted.map(async (registration): Promise<readonly Failure[]> => {
      try {
        await registration.link.ready(demand, signal);
        return [];
      } catch (reason) {
        if (registration.link.state.kind === "removed") return [];
        return [{ registration, error: toToolportError(reason, registration.id, operation) }];
      }
    }),
  );
  if (signal?.aborted) throw operationError(signal.reason, { operation, signal });
  return outcomes.flat();
}

/** One error for several servers, in server-id order (AN-46). */
export function refreshError(what: string, failures: readonly Failure[]): ToolportError {
  const list = failures.map(({ registration, error }) => `${registration.id}: ${error.message}`).join("; ");
  return new ToolportError(`failed to ${what}: ${list}`, {
    code: "refresh_failed",
    details: { failures: failures.map(({ error }) => error) },
    cause: failures[0]?.error,
  });
}
