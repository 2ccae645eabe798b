import type { Clock, Diagnostic, Random } from "@hostside/core";
import type { Redactor } from "@hostside/core/implement";
import type { ServerSettings } from "./resolve-settings.ts";

/** What every part of a connection knows of the server at its other end, handed on as one. */
export interface ServerContext {
  readonly serverId: string;
  /** Its limits and timeouts, defaults filled in. */
  readonly settings: ServerSettings;
  readonly clock: Clock;
  readonly random: Random;
  /** Masks the secrets that the host gave this server. */
  readonly redact: Redactor;
  readonly onDiagnostic: (diagnostic: Diagnostic) => void;
}
