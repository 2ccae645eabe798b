import { createNoopMeter, metrics, type Attributes, type Meter, type MeterProvider } from "@opentelemetry/api";
import { scopeName, withoutAbsent } from "../names.ts";
import { quietly } from "../quietly.ts";

/** An instrument. Descriptions end up in the exporter. */
export interface Instrument {
  /** Says whether it is written only where the product asks for it. */
  readonly isExtra?: true;
  /** `seconds`: a histogram of durations. `level`: a counter that goes up and down. */
  readonly kind: "seconds" | "count" | "level" | "gauge";
  readonly description: string;
  readonly unit?: string;
}

/** Writes to instruments by their names. */
export interface Metrics<Name extends string> {
  /** Says whether there is an SDK that takes metrics. */
  isOn(): boolean;
  /**
   * Writes a value: a duration, what is added, or what is so now. Does nothing without an SDK, and
   * for an extra instrument that nobody asked for. Never throws.
   */
  write(name: Name, value: number, attributes?: Attributes): void;
}

type Writer = (value: number, attributes: Attributes) => void;

/** The buckets that the conventions recommend for durations, in seconds. */
const durationBuckets = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300];

/**
 * Makes the writer of a table. Looks for the meter at each use, because an SDK may be registered
 * later, and makes the instruments once for each.
 */
export function createMetrics<Name extends string>(
  table: Readonly<Record<Name, Instrument>>,
  provider: MeterProvider | undefined,
  hasExtra: boolean,
): Metrics<Name> {
  const NoopMeter = createNoopMeter().constructor;
  const wanted = Object.entries<Instrument>(table).filter(([, { isExtra }]) => isExtra !== true || hasExtra);
  let found: ReadonlyMap<string, Writer> | undefined;
  let foundIn: MeterProvider | undefined;
  const find = (): ReadonlyMap<string, Writer> | undefined => {
    const current = provider ?? metrics.getMeterProvider();
    if (current === foundIn) return found;
    foundIn = current;
    found = quietly(() => {
      const meter = current.getMeter(scopeName);
      if (meter.constructor === NoopMeter) return undefined;
      return new Map(wanted.map(([name, instrument]) => [name, makeWriter(meter, name, instrument)]));
    });
    return found;
  };
  return {
    isOn: () => find() !== undefined,
    write(name, value, attributes = {}) {
      const write = find()?.get(name);
      if (write === undefined) return;
      quietly(() => write(value, withoutAbsent(attributes)));
    },
  };
}

function makeWriter(meter: Meter, name: string, { kind, description, unit = "" }: Instrument): Writer {
  if (kind === "seconds") {
    const advice = { explicitBucketBoundaries: durationBuckets };
    const histogram = meter.createHistogram(name, { unit: "s", description, advice });
    return (value, attributes) => histogram.record(value, attributes);
  }
  if (kind === "gauge") {
    const gauge = meter.createGauge(name, { description });
    return (value, attributes) => gauge.record(value, attributes);
  }
  const options = { description, unit };
  const counter = kind === "count" ? meter.createCounter(name, options) : meter.createUpDownCounter(name, options);
  return (value, attributes) => counter.add(value, attributes);
}
