import { HostsideError } from "@hostside/core";
import { formatMs, isJsonObject, kindOf, settleWithin, untilAborted } from "@hostside/core/implement";
import type { McpProvider } from "@hostside/provider";
import { closeWithin, longestProviderCloseMs } from "./end-entry.ts";
import type { PoolEntry } from "./entry.ts";
import type { PoolParts } from "./pool-parts.ts";

/** A provider on its way. */
export interface Making {
  readonly provider: Promise<McpProvider>;
  /** Resolves when nothing is left of an attempt that failed. */
  readonly over: Promise<void>;
}

/** Has the product make a provider, for at most `makeMs`. What comes too late is closed. */
export function makeProvider(
  entry: PoolEntry,
  controller: AbortController,
  { settings, owned, make }: PoolParts,
): Making {
  const { makeMs, clock } = settings;
  const { owner, config } = entry;
  const { signal } = controller;
  const made = (async () => {
    const provider = await make(owner, config.servers, signal);
    assertProvider(provider);
    if (owned.has(provider)) throw new TypeError("make() gave a provider that it has given before");
    owned.add(provider);
    return provider;
  })();
  const cancel = clock.schedule(makeMs, () => {
    const message = `make() had no provider for ${owner.title} after ${formatMs(makeMs)}`;
    controller.abort(new HostsideError(message, { code: "connect_timeout" }));
  });
  const provider = untilAborted(made, signal).finally(cancel);
  const closeLate = async (): Promise<void> => {
    const late = await made;
    if (signal.aborted) await closeWithin(late, "it came too late", settings);
  };
  const closing = closeLate();
  const over = provider.then(
    () => undefined,
    () => settleWithin(closing, makeMs + longestProviderCloseMs, clock),
  );
  return { provider, over };
}

const members = ["applyServers", "close", "onCallEnded", "onClosed"] as const;

function assertProvider(provider: unknown): asserts provider is McpProvider {
  if (!isJsonObject(provider)) throw new TypeError(`make() must give a provider, not ${kindOf(provider)}`);
  const missing = members.find((name) => typeof Reflect.get(provider, name) !== "function");
  if (missing !== undefined) throw new TypeError(`make() must give a provider: what it gave has no ${missing}()`);
  // Without it, one would be ended under work.
  if (typeof Reflect.get(provider, "busy") !== "boolean")
    throw new TypeError("make() must give a provider: what it gave has no busy");
}
