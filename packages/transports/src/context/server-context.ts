import type { Clock, Diagnostic } from "@toolport/core";

/** What every part of a wire knows about the server at its other end. */
export interface ServerContext {
  readonly serverId: string;
  readonly clock: Clock;
  /** Masks the secrets that the host gave this server. */
  readonly redact: (text: string) => string;
  readonly onDiagnostic: (diagnostic: Diagnostic) => void;
}
