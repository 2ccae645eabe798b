import type { Connector, Diagnostic } from "@hostside/core";
import type { Policy } from "@hostside/policy";
import type { ChosenAuth } from "../auth/choose-auth.ts";
import type { Configuration } from "../configuration/open-configuration.ts";
import type { Closing } from "../lifecycle/create-closing.ts";
import type { HostOptions, HostTelemetry } from "../contract/host-options.ts";
import type { ChosenState } from "../state/choose-state.ts";

/** The parts of a host that every other part may use. */
export interface PartsContext {
  readonly options: HostOptions;
  readonly closing: Closing;
  readonly report: (diagnostic: Diagnostic) => void;
  readonly telemetry: HostTelemetry | undefined;
  readonly state: ChosenState;
  readonly auth: ChosenAuth;
  readonly connector: Connector;
  readonly configuration: Configuration;
  readonly policy: Policy;
}
