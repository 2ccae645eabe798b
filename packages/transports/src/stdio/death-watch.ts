import type { Cancel, Clock } from "@hostside/core";
import { drainOutput, type OutputPipe } from "./drain-output.ts";
import { hasExited } from "./end-process.ts";
import type { ServerProcess } from "./server-process.ts";

/** Why nothing more can be expected of a process. */
export type Death =
  | { readonly kind: "exited"; readonly code: number | null; readonly signal: NodeJS.Signals | null }
  /** Windows only: there a missing program shows when its command interpreter ends. */
  | { readonly kind: "not-found"; readonly cause: Error }
  | { readonly kind: "stdout-closed" }
  | { readonly kind: "stdin-closed"; readonly cause: Error };

// A process that dies loses its pipes a moment before its exit is reported; the exit says more.
const exitGraceMs = 200;

/** What {@linkcode watchForDeath} needs. */
export interface DeathWatchInit {
  readonly process: ServerProcess;
  /** Its stdout and stderr, as they are read. */
  readonly pipes: () => readonly OutputPipe[];
  readonly clock: Clock;
  readonly onDeath: (death: Death) => void;
}

/**
 * Calls `onDeath` once, after all that the process wrote before its end has been read. Goes by the
 * `exit` event, never by `close`, which a grandchild that holds a pipe puts off for as long as it
 * likes. A closed pipe alone is death, too, unless the exit is reported within 200 ms.
 */
export function watchForDeath({ process, pipes, clock, onDeath }: DeathWatchInit): Cancel {
  let watching = true;
  let cancelGrace: Cancel | undefined;
  const dispose = (): void => {
    watching = false;
    stopListening();
  };
  const stopListening = (): void => {
    cancelGrace?.();
    process.off("exit", onExit);
    process.off("error", onError);
    process.stdout.off("close", onOutputClosed);
    process.stdin.off("error", onInputError);
  };
  const die = async (death: Death): Promise<void> => {
    stopListening();
    if (death.kind === "exited") await drainOutput(pipes(), clock);
    for (const pipe of pipes()) pipe.flush?.();
    if (watching) onDeath(death);
  };
  const suspect = (death: Death): void => {
    cancelGrace ??= clock.schedule(exitGraceMs, () => void die(death));
  };
  const onExit = (code: number | null, signal: NodeJS.Signals | null): void =>
    void die({ kind: "exited", code, signal });
  const onError = (cause: Error): void => void die({ kind: "not-found", cause });
  const onOutputClosed = (): void => suspect({ kind: "stdout-closed" });
  const onInputError = (cause: Error): void => suspect({ kind: "stdin-closed", cause });
  process.on("exit", onExit);
  process.on("error", onError);
  process.stdout.on("close", onOutputClosed);
  process.stdin.on("error", onInputError);
  // It may be over before there was anybody to notice.
  if (hasExited(process)) onExit(process.exitCode, process.signalCode);
  return dispose;
}
