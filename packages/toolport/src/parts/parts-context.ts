import type { Clock, Diagnostic } from "@toolport/core";
import type { Policy } from "@toolport/policy";
import type { Configuration } from "../configuration/open-configuration.ts";
import type { Closing } from "../lifecycle/create-closing.ts";
import type { ToolportOptions } from "../toolport-options.ts";
import type { ToolportTelemetry } from "../toolport-telemetry.ts";

/** What all parts are made with. */
export interface PartsContext {
  readonly options: ToolportOptions;
  readonly closing: Closing;
  readonly clock: Clock;
  readonly report: (diagnostic: Diagnostic) => void;
  readonly policy: Policy;
  readonly configuration: Configuration;
  readonly telemetry: ToolportTelemetry | undefined;
}
