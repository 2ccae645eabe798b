import type { Clock, Connector } from "@toolport/core";
import { createConnector, type ConnectorOptions } from "@toolport/transports";
import type { ToolportOptions } from "../toolport-options.ts";

/** Takes what was handed in, or makes what opens connections. */
export function chooseConnector(
  given: ToolportOptions["connector"],
  { authProvider, clock }: { readonly authProvider: ConnectorOptions["authProvider"]; readonly clock?: Clock },
): Connector {
  if (given !== undefined && "connect" in given) return given;
  return createConnector({ clock, ...given, ...(authProvider !== undefined && { authProvider }) });
}
