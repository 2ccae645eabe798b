import type { Random, ServerLog, ServerSpec } from "@hostside/core";
import { createSecretMemory, type SecretMemory } from "@hostside/core/implement";
import { resolveSettings, type ServerContext } from "./server-context.ts";

/** What every opener of a transport goes by, besides the spec: `open(spec, context)`. */
export interface TransportContext extends ServerContext {
  /** Aborts the opening. What is open already is torn down before the opener's promise settles. */
  readonly signal: AbortSignal;
  readonly onLog: (log: ServerLog) => void;
  /** Behind `redact`: is told each secret that the transport sends and no spec names. */
  readonly secrets: SecretMemory;
  /**
   * For processes: told of the first byte on stdout. The program is loaded by then, and what comes
   * now is its own business.
   */
  readonly onStarted: () => void;
  /** Whether a user waits who may be shown an authorization page right now. */
  readonly isInteractive: () => boolean;
  /** For whom the connection is, where the host says so. */
  readonly principal: string | undefined;
}

/** What is known of a connection as long as it lives. */
export type LastingContext = Omit<TransportContext, "onStarted" | "signal">;

/**
 * What is made from a {@linkcode TransportContext} at the end of an opening: with its signal, all
 * of its deadline would be kept.
 */
export function withoutOpening(context: TransportContext): LastingContext {
  const { serverId, settings, random, redact } = context;
  const { secrets, onDiagnostic, onLog, isInteractive, principal } = context;
  return { serverId, settings, random, redact, secrets, onDiagnostic, onLog, isInteractive, principal };
}

/** What a {@linkcode TransportContext} is made from. */
export interface TransportContextInit extends Pick<TransportContext, "onDiagnostic" | "onLog" | "signal"> {
  /** Default `Math.random`. */
  readonly random?: Random | undefined;
  /** Default: nobody wants to know. */
  readonly onStarted?: (() => void) | undefined;
  /** Default: never. */
  readonly isInteractive?: (() => boolean) | undefined;
  /** Default: nobody in particular. */
  readonly principal?: string | undefined;
}

/** Puts one together; its memory of secrets begins with those of the spec. */
export function createTransportContext(spec: ServerSpec, init: TransportContextInit): TransportContext {
  const secrets = createSecretMemory(spec);
  const { signal, onDiagnostic, onLog, random = Math.random } = init;
  const { onStarted = ignore, isInteractive = never, principal } = init;
  const settings = resolveSettings(spec);
  const { redact } = secrets;
  return {
    serverId: spec.id,
    settings,
    random,
    redact,
    secrets,
    signal,
    onDiagnostic,
    onLog,
    onStarted,
    isInteractive,
    principal,
  };
}

function ignore(): void {
  // Not every transport has a program to start.
}

function never(): boolean {
  return false;
}
