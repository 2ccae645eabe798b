import type { Diagnostic, ServerLog, ServerNotification, HostsideError } from "@hostside/core";
import type { ConnectionHooks } from "@hostside/core/implement";
import { runHook } from "../time/run-hook.ts";

type KeptHook = Exclude<keyof GuardedHooks, "onDiagnostic" | "onLog" | "silence" | "wants">;

/**
 * Hooks that keep what core's contract promises, however they are called. Those that nobody wants
 * do nothing.
 */
export class GuardedHooks {
  /** May be handed on by itself, as the next one. */
  readonly onDiagnostic: (diagnostic: Diagnostic) => void;
  readonly onLog: (log: ServerLog) => void;
  readonly #hooks: { readonly [Name in KeptHook]: ConnectionHooks[Name] };
  #isSilent = false;

  constructor(hooks: ConnectionHooks) {
    const { onToolsChanged, onResourcesChanged, onPromptsChanged, onResourceUpdated, onNotification } = hooks;
    const { onDown, onFailed, onDiagnostic, onLog } = hooks;
    // Not the whole object: the hooks of the start would be kept with it.
    this.#hooks = {
      onToolsChanged,
      onResourcesChanged,
      onPromptsChanged,
      onResourceUpdated,
      onNotification,
      onDown,
      onFailed,
    };
    this.onDiagnostic = (diagnostic) => {
      // What the end of a connection leaves behind is known after it alone.
      if (diagnostic.kind !== "container-left") this.#run(onDiagnostic, diagnostic);
      else if (onDiagnostic !== undefined) runHook(onDiagnostic, diagnostic);
    };
    this.onLog = (log) => this.#run(onLog, log);
  }

  onToolsChanged(): void {
    this.#run(this.#hooks.onToolsChanged, undefined);
  }

  onResourcesChanged(): void {
    this.#run(this.#hooks.onResourcesChanged, undefined);
  }

  onPromptsChanged(): void {
    this.#run(this.#hooks.onPromptsChanged, undefined);
  }

  onResourceUpdated(uri: string): void {
    this.#run(this.#hooks.onResourceUpdated, uri);
  }

  onNotification(notification: ServerNotification): void {
    this.#run(this.#hooks.onNotification, notification);
  }

  onDown(error: HostsideError): void {
    this.#run(this.#hooks.onDown, error);
    this.#isSilent = true;
  }

  onFailed(error: HostsideError): void {
    this.#run(this.#hooks.onFailed, error);
  }

  /** Whether anybody wants to know. */
  wants(hook: "onNotification" | "onPromptsChanged" | "onResourcesChanged"): boolean {
    return this.#hooks[hook] !== undefined;
  }

  /** From now on none is called. */
  silence(): void {
    this.#isSilent = true;
  }

  #run<T>(hook: ((value: T) => void) | undefined, value: T): void {
    if (!this.#isSilent && hook !== undefined) runHook(hook, value);
  }
}
