import type { LiveCatalog } from "./catalog/live-catalog.ts";
import type { ProviderSettings } from "./provider-options.ts";
import type { Observers } from "./servers/observers.ts";

/** What all parts of one provider share. */
export interface ProviderParts {
  readonly settings: ProviderSettings;
  readonly catalog: LiveCatalog;
  readonly observers: Observers;
  /** Stands for the provider, and holds nothing of it. */
  readonly identity: object;
}
