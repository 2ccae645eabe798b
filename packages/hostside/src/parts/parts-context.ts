import type { OAuth } from "@hostside/auth";
import type { Diagnostic } from "@hostside/core";
import type { Policy } from "@hostside/policy";
import type { SignInNews } from "../sign-ins/sign-in-news.ts";
import type { Configuration } from "../configuration/open-configuration.ts";
import type { Closing } from "../lifecycle/create-closing.ts";
import type { HostOptions } from "../host-options.ts";
import type { HostTelemetry } from "../host-telemetry.ts";

/** What all parts are made with. */
export interface PartsContext {
  readonly options: HostOptions;
  readonly closing: Closing;
  readonly report: (diagnostic: Diagnostic) => void;
  readonly policy: Policy;
  readonly configuration: Configuration;
  readonly telemetry: HostTelemetry | undefined;
  readonly oauth: OAuth | undefined;
  readonly signInNews: SignInNews;
}
