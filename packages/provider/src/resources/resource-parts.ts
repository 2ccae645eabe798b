import type { ServerQueries } from "./asking/ask-server.ts";
import type { ResourceProvider } from "./resource-provider.ts";
import type { ResourcesSettings } from "./resources-options.ts";

/** What all parts of one `createResources` share. */
export interface ResourceParts {
  readonly provider: ResourceProvider;
  readonly settings: ResourcesSettings;
  readonly asking: ServerQueries;
}
