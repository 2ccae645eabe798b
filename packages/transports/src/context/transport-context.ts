import type { Diagnostic, ServerLog } from "@toolport/core";
import type { SecretMemory } from "@toolport/core/implement";

/** What every opener gets from the connector. */
export interface TransportContext {
  /** Aborts the opening. What is open already is torn down before the opener's promise settles. */
  readonly signal: AbortSignal;
  readonly onDiagnostic: (diagnostic: Diagnostic) => void;
  readonly onLog: (log: ServerLog) => void;
  /**
   * Masks the secrets of the connection, and is told each one that the transport sends and no spec names. Default: one that knows the
   * spec's.
   */
  readonly secrets?: SecretMemory | undefined;
  /** For processes: told of the first byte on stdout. The program is loaded by then, and what comes now is its own business. */
  readonly onStarted?: (() => void) | undefined;
  /** Whether a user waits who may be shown an authorization page right now. Default: never. */
  readonly isInteractive?: (() => boolean) | undefined;
}
