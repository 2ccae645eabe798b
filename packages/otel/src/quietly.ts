/**
 * Does a step of telemetry. Telemetry must not break a call: an exporter, a
 * processor or a propagator of the product's that throws costs what it would have seen, and nothing
 * else. Its SDK reports its own failures.
 */
export function quietly<T>(step: () => T): T | undefined {
  try {
    return step();
  } catch {
    return undefined;
  }
}

/** The end of work: what came back, or what was thrown. */
export type Ending<T> = { readonly outcome: T } | { readonly error: unknown };

/** Does work, and tells how it ended. Settles as the work does. */
export async function observeEnd<T>(work: () => Promise<T>, end: (ending: Ending<T>) => void): Promise<T> {
  let outcome: T;
  try {
    outcome = await work();
  } catch (error) {
    end({ error });
    throw error;
  }
  end({ outcome });
  return outcome;
}
