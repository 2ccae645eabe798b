import type { ServerSpec, EntrySettings } from "@hostside/core";
import { createSharedProviders } from "@hostside/cluster";
import { useManualClock, type ManualClock } from "../../../test/manual-clock.ts";
import { poolOfKeys, type KeyEvent, type PoolOfKeys, type PoolOfKeysOptions } from "./pool-of-keys.ts";
import { stubProvider, type StubProvider } from "./stub-provider.ts";

/** A pool whose providers a test plays. */
export interface Stage {
  readonly pool: PoolOfKeys;
  readonly clock: ManualClock;
  readonly events: KeyEvent[];
  /** All that were made, in order. */
  readonly made: { readonly key: string; readonly stub: StubProvider; readonly servers: readonly ServerSpec[] }[];
}

export function stage(options: Partial<PoolOfKeysOptions> = {}): Stage {
  const clock = useManualClock();
  const made: Stage["made"] = [];
  const events: KeyEvent[] = [];
  const pool = poolOfKeys(createSharedProviders, {
    make({ key, servers }) {
      const stub = stubProvider();
      made.push({ key, stub, servers });
      return stub.provider;
    },
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
