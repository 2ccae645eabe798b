import { HostsideError, type Cancel, type HostsideErrorCode } from "@hostside/core";
import { clock, safeCause, type Redactor } from "@hostside/core/implement";
import { quoteEvidence, type Evidence } from "../text/safe-excerpt.ts";
import { type ServerProcess, hasExited } from "./end-process.ts";
import { drainOutput, type OutputPipe } from "./output-pipe.ts";

/** Why nothing more can be expected of a process. */
export interface Death {
  readonly code: HostsideErrorCode;
  /** Completes "server … ". */
  readonly what: string;
  readonly exitCode?: number | null;
  readonly exitSignal?: NodeJS.Signals | null;
  readonly cause?: Error;
}

// A process that dies loses its pipes a moment before its exit is reported; the exit says more.
const exitGraceMs = 200;

/** The input of {@linkcode watchForDeath}. */
export interface DeathWatchInit {
  readonly process: ServerProcess;
  /** Its stdout and stderr, as they are read. */
  readonly pipes: () => readonly OutputPipe[];
  readonly onDeath: (death: Death) => void;
}

/**
 * Calls `onDeath` once, after all that the process wrote before its end has been read. Goes by the
 * `exit` event, never by `close`, which a grandchild that holds a pipe puts off for as long as it
 * likes. A closed pipe alone is death, too, unless the exit is reported within 200 ms.
 */
export function watchForDeath({ process, pipes, onDeath }: DeathWatchInit): Cancel {
  let watching = true;
  let cancelGrace: Cancel | undefined;
  const stopListening = (): void => {
    cancelGrace?.();
    process.off("exit", onExit);
    process.off("error", onError);
    process.stdout.off("close", onOutputClosed);
    process.stdin.off("error", onInputError);
  };
  const die = async (death: Death): Promise<void> => {
    stopListening();
    if (death.code === "server_exited") await drainOutput(pipes());
    for (const pipe of pipes()) pipe.flush?.();
    if (watching) onDeath(death);
  };
  const suspect = (pipe: string, cause?: Error): void => {
    const what = `closed its ${pipe} but kept running, and was stopped`;
    const death: Death = { code: "connection_closed", what, ...(cause && { cause }) };
    cancelGrace ??= clock.schedule(exitGraceMs, () => void die(death));
  };
  const onExit = (exitCode: number | null, exitSignal: NodeJS.Signals | null): void => {
    const what = exitSignal === null ? `exited with code ${exitCode}` : `was ended by ${exitSignal}`;
    void die({ code: "server_exited", what, exitCode, exitSignal });
  };
  // Windows only: there a missing program shows when its command interpreter ends.
  const onError = (cause: Error): void =>
    void die({ code: "spawn_failed", what: "could not be started: there is no such program", cause });
  const onOutputClosed = (): void => suspect("stdout");
  const onInputError = (cause: Error): void => suspect("stdin", cause);
  process.on("exit", onExit);
  process.on("error", onError);
  process.stdout.on("close", onOutputClosed);
  process.stdin.on("error", onInputError);
  // It may be over already.
  if (hasExited(process)) onExit(process.exitCode, process.signalCode);
  return () => {
    watching = false;
    stopListening();
  };
}

/**
 * The error for a connection that ended by itself: `server_exited` with code or signal,
 * `connection_closed`, or `spawn_failed`. Quotes the evidence.
 */
export function deathError(
  { code, what, cause, ...exit }: Death,
  evidence: Evidence,
  { serverId, redact }: { readonly serverId: string; readonly redact: Redactor },
): HostsideError {
  const { stderrTail, strayLine } = evidence;
  const silence = stderrTail ? "" : "; it wrote nothing to stderr";
  return new HostsideError(`server ${JSON.stringify(serverId)} ${what}${silence}${quoteEvidence(evidence)}`, {
    code,
    serverId,
    details: {
      ...exit,
      ...(stderrTail && { stderrTail }),
      ...(strayLine !== undefined && { excerpt: strayLine }),
    },
    cause: cause && safeCause(cause, redact),
  });
}
