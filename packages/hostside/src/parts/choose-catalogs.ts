import type { Clock, Diagnostic, Store } from "@hostside/core";
import { createKeptCatalog, type KeptCatalog } from "@hostside/pool";
import type { HostOptions } from "../host-options.ts";

/** With what listings are kept. */
export interface CatalogsMeans {
  readonly store: Store;
  readonly clock: Clock;
  readonly report: (diagnostic: Diagnostic) => void;
}

/**
 * Keeps listings of servers for the next start, where the options want that, and the product keeps
 * none of its own.
 */
export function chooseCatalogs(options: HostOptions, means: CatalogsMeans): KeptCatalog | undefined {
  const { state, pool, provider } = options;
  const { savedCatalogs = typeof state === "object" || pool !== undefined } = options;
  if (!savedCatalogs || provider?.savedCatalog !== undefined) return undefined;
  return createKeptCatalog({ store: means.store, clock: means.clock, onDiagnostic: means.report });
}
