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
  const guard =
    <T>(hook: ((value: T) => void) | undefined) =>
    (value: T): void => {
      if (!isSilent && hook !== undefined) runHook(hook, value);
    };
  const guardIfThere = <T>(hook: ((value: T) => void) | undefined): ((value: T) => void) | undefined =>
    hook && guard(hook);
  const onDown = guard(hooks.onDown);
  return {
    onToolsChanged: guard<void>(hooks.onToolsChanged),
    onResourcesChanged: guardIfThere<void>(hooks.onResourcesChanged),
    onPromptsChanged: guardIfThere<void>(hooks.onPromptsChanged),
    onResourceUpdated: guardIfThere(hooks.onResourceUpdated),
    onNotification: guardIfThere(hooks.onNotification),
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
