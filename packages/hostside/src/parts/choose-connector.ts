import { inOption } from "../check-options.ts";
import type { Connector } from "@hostside/core";
import { createConnector, type ConnectorOptions } from "@hostside/transports";
import type { HostOptions } from "../host-options.ts";

/** Takes the connector of the options, or makes one that waits for tasks of servers. */
export function chooseConnector(
  given: HostOptions["connector"],
  authProvider: ConnectorOptions["authProvider"],
): Connector {
  if (given !== undefined && "connect" in given) return given;
  return inOption("connector", () =>
    createConnector({ tasks: true, ...given, ...(authProvider !== undefined && { authProvider }) }),
  );
}
