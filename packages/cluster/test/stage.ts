import type { ServerSpec, EntrySettings } from "@hostside/core";
import { createProviderPool, type PoolEvent, type ProviderPool, type ProviderPoolOptions } from "@hostside/cluster";
import { createManualClock, type ManualClock } from "../../../test/manual-clock.ts";
import { stubProvider, type StubProvider } from "./stub-provider.ts";

/** A pool whose providers a test plays. */
export interface Stage {
  readonly pool: ProviderPool;
  readonly clock: ManualClock;
  readonly events: PoolEvent[];
  /** All that were made, in order. */
  readonly made: { readonly key: string; readonly stub: StubProvider; readonly servers: readonly ServerSpec[] }[];
}

export function stage(options: Partial<ProviderPoolOptions> = {}): Stage {
  const clock = createManualClock();
  const made: Stage["made"] = [];
  const events: PoolEvent[] = [];
  const pool = createProviderPool({
    make({ key, servers }) {
      const stub = stubProvider();
      made.push({ key, stub, servers });
      return stub.provider;
    },
    clock,
    ...options,
  });
  pool.onEvent((event) => events.push(event));
  return { pool, clock, events, made };
}

export function server(id: string, more: Partial<EntrySettings> = {}): ServerSpec {
  return { id, type: "http", url: `https://example.com/${id}`, ...more };
}

/** Something to wait for until it is opened. */
export function gate(): { readonly open: () => void; readonly passed: Promise<void> } {
  let open = (): void => undefined;
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, passed };
}

export function firstOf(made: Stage["made"]): StubProvider {
  const [first] = made;
  if (first === undefined) throw new Error("nothing was made");
  return first.stub;
}

/** When all that can happen now has happened. */
export const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
