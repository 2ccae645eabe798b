import type { Diagnostic, ServerLog, ServerNotification, ToolportError } from "@toolport/core";
import type { ConnectionHooks } from "@toolport/core/implement";
import { runHook } from "../time/run-hook.ts";

/** Hooks that keep what core's contract promises, however they are called. */
export interface GuardedHooks {
  readonly onToolsChanged: () => void;
  /** Absent, like the next three, when nobody wants to know. */
  readonly onResourcesChanged: (() => void) | undefined;
  readonly onPromptsChanged: (() => void) | undefined;
  readonly onResourceUpdated: ((uri: string) => void) | undefined;
  readonly onNotification: ((notification: ServerNotification) => void) | undefined;
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
  const { onToolsChanged, onResourcesChanged, onPromptsChanged, onResourceUpdated, onNotification } = hooks;
  const { onDown, onFailed, onDiagnostic, onLog } = hooks;
  const run = <T>(hook: ((value: T) => void) | undefined, value: T): void => {
    if (!isSilent && hook !== undefined) runHook(hook, value);
  };
  return {
    onToolsChanged: () => run(onToolsChanged, undefined),
    onResourcesChanged: onResourcesChanged && (() => run(onResourcesChanged, undefined)),
    onPromptsChanged: onPromptsChanged && (() => run(onPromptsChanged, undefined)),
    onResourceUpdated: onResourceUpdated && ((uri) => run(onResourceUpdated, uri)),
    onNotification: onNotification && ((notification) => run(onNotification, notification)),
    onDown(error) {
      run(onDown, error);
      isSilent = true;
    },
    onFailed: (error) => run(onFailed, error),
    onDiagnostic: (diagnostic) => run(onDiagnostic, diagnostic),
    onLog: (log) => run(onLog, log),
    silence() {
      isSilent = true;
    },
  };
}
