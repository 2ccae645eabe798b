import { HostsideError, type HostsideErrorCode } from "@hostside/core";
import { safeCause, type Redactor } from "@hostside/core/implement";
import { quoteEvidence, type Evidence } from "../text/quote-evidence.ts";
import type { Death } from "./death-watch.ts";

/** Whose end it was. */
export interface DeathContext {
  readonly serverId: string;
  readonly redact: Redactor;
}

/**
 * The error for a connection that ended by itself: `server_exited` with code or signal,
 * `connection_closed`, or `spawn_failed`. Quotes the evidence.
 */
export function deathError(death: Death, evidence: Evidence, { serverId, redact }: DeathContext): HostsideError {
  const { stderrTail, strayLine } = evidence;
  const silence = stderrTail ? "" : "; it wrote nothing to stderr";
  return new HostsideError(
    `server ${JSON.stringify(serverId)} ${describe(death)}${silence}${quoteEvidence(evidence)}`,
    {
      code: codeOf(death),
      serverId,
      details: {
        ...(death.kind === "exited" && { exitCode: death.code, exitSignal: death.signal }),
        ...(stderrTail && { stderrTail }),
        ...(strayLine !== undefined && { excerpt: strayLine }),
      },
      cause: "cause" in death ? safeCause(death.cause, redact) : undefined,
    },
  );
}

function codeOf(death: Death): HostsideErrorCode {
  switch (death.kind) {
    case "exited":
      return "server_exited";
    case "not-found":
      return "spawn_failed";
    case "stdout-closed":
    case "stdin-closed":
      return "connection_closed";
  }
}

function describe(death: Death): string {
  switch (death.kind) {
    case "exited":
      return death.signal === null ? `exited with code ${death.code}` : `was ended by ${death.signal}`;
    case "not-found":
      return "could not be started: there is no such program";
    case "stdout-closed":
      return "closed its stdout but kept running, and was stopped";
    case "stdin-closed":
      return "closed its stdin but kept running, and was stopped";
  }
}
