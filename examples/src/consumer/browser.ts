// What a browser or an edge worker may use, type-checked without Node's types.
import { createEvent, type Connector, type ToolProvider } from "@toolport/core";
import * as discovery from "@toolport/discovery";
import { assignNames } from "@toolport/naming";
import { createProvider } from "@toolport/provider";

/** A provider over a connector of one's own. */
export function createBrowserProvider(connector: Connector): ToolProvider {
  return createProvider({ connector, servers: [] });
}

export const renamed: ReturnType<typeof createEvent<string>> = createEvent<string>();
export const names: readonly string[] = Object.keys({ ...discovery, assignNames });
