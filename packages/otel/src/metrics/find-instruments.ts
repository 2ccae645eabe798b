import { createNoopMeter, metrics, type Meter, type MeterProvider } from "@opentelemetry/api";
import { scopeName } from "../names.ts";
import { quietly } from "../quietly.ts";

/**
 * Looks for the meter at each use, because an SDK may be registered later than this is made, and
 * has the instruments made once for each. `undefined`: there is no SDK, or one that throws.
 */
export function findInstruments<Instruments>(
  provider: MeterProvider | undefined,
  make: (meter: Meter) => Instruments,
): () => Instruments | undefined {
  let found: Instruments | undefined;
  let foundIn: MeterProvider | undefined;
  const NoopMeter = createNoopMeter().constructor;
  return () => {
    const current = provider ?? metrics.getMeterProvider();
    if (current === foundIn) return found;
    foundIn = current;
    found = quietly(() => {
      const meter = current.getMeter(scopeName);
      return meter.constructor === NoopMeter ? undefined : make(meter);
    });
    return found;
  };
}
