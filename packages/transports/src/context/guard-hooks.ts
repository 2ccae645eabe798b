import type { Diagnostic, ServerLog, ToolportError } from "@toolport/core";
import type { ConnectionHooks } from "@toolport/core/implement";
import { runHook } from "../time/run-hook.ts";

/** Hooks that keep what core's contract promises, however they are called. */
export interface GuardedHooks {
  readonly onToolsChanged: () => void;
  readonly onDown: (error: ToolportError) => void;
  readonly onFailed: (error: ToolportError) => void;
  readonly onDiagnostic: (diagnostic: Diagnostic) => void;
  readonly onLog: (log: ServerLog) => void;
  /** From now on none is called. */
  silence(): void;
}

/**
 * Wraps the hooks of a connection: none is called after {@linkcode GuardedHooks.silence}, or after `onDown`; one that throws cannot
 * break the reading of messages.
 */
export function guardHooks(hooks: ConnectionHooks): GuardedHooks {
  let isSilent = false;
  const guard =
    <T>(hook: ((value: T) => void) | undefined) =>
    (value: T): void => {
      if (!isSilent && hook !== undefined) runHook(hook, value);
    };
  const onDown = guard(hooks.onDown);
  return {
    onToolsChanged: guard<void>(hooks.onToolsChanged),
    onDown(error) {
      onDown(error);
      isSilent = true;
    },
    onFailed: guard(hooks.onFailed),
    onDiagnostic: guard(hooks.onDiagnostic),
    onLog: guard(hooks.onLog),
    silence() {
      isSilent = true;
    },
  };
}
