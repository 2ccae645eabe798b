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
