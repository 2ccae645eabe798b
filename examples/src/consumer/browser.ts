// What a browser or an edge worker may use, type-checked with the types of the language and the DOM
// alone.
import type { Connector, ToolOutcome, ToolProvider, UnknownContentBlock } from "@hostside/core";
import { createEvent } from "@hostside/core/implement";
import * as discovery from "@hostside/discovery";
import { assignNames } from "@hostside/naming";
import { createProvider } from "@hostside/provider";
import { createConnector } from "@hostside/transports";

/** A provider over a connector of one's own. */
export function createBrowserProvider(connector: Connector): ToolProvider {
  return createProvider({ connector, servers: [] });
}

export const renamed: ReturnType<typeof createEvent<string>> = createEvent<string>();
export const names: readonly string[] = Object.keys({ ...discovery, assignNames, createConnector });

/**
 * What a model reads of an outcome: the compiler knows which members each kind of content has, and
 * that there are other kinds.
 */
export function describeContent({ content, isError }: ToolOutcome): string {
  const parts = content.map((block) => {
    switch (block.type) {
      case "text":
        return block.text;
      case "image":
      case "audio":
        return block.mimeType;
      case "resource_link":
        return block.uri;
      case "resource":
        return block.resource.text ?? block.resource.uri;
      default:
        return describeUnknown(block);
    }
  });
  return `${isError ? "failed" : "done"}: ${parts.join()}`;
}

function describeUnknown({ type }: UnknownContentBlock): string {
  return type;
}
