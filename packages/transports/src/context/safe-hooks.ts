import type { Diagnostic, ServerLog } from "@hostside/core";
import { tell, type ConnectionHooks } from "@hostside/core/implement";

type KeptName =
  | "onDown"
  | "onFailed"
  | "onNotification"
  | "onPromptsChanged"
  | "onResourcesChanged"
  | "onResourceUpdated"
  | "onToolsChanged";

/**
 * Hooks that keep what core's contract promises: an error of a hook goes no further, and none is
 * called after the end.
 */
export class SafeHooks {
  readonly onDiagnostic: (diagnostic: Diagnostic) => void;
  readonly onLog: (log: ServerLog) => void;
  readonly #kept: Pick<ConnectionHooks, KeptName>;
  #isSilent = false;

  constructor(hooks: ConnectionHooks) {
    const { onToolsChanged, onResourcesChanged, onPromptsChanged, onResourceUpdated, onNotification } = hooks;
    const { onDown, onFailed, onDiagnostic, onLog } = hooks;
    // Not the whole object: the hooks of the start would be kept with it.
    const changes = { onToolsChanged, onResourcesChanged, onPromptsChanged, onResourceUpdated };
    this.#kept = { ...changes, onNotification, onDown, onFailed } as Pick<ConnectionHooks, KeptName>;
    this.onDiagnostic = (diagnostic) => {
      // A container that is left behind is known after the end of its connection alone.
      if (!this.#isSilent || diagnostic.kind === "container-left") tell(onDiagnostic, diagnostic);
    };
    this.onLog = (log) => {
      if (!this.#isSilent) tell(onLog, log);
    };
  }

  run<Name extends KeptName>(name: Name, ...[value]: Parameters<NonNullable<ConnectionHooks[Name]>>): void {
    if (this.#isSilent) return;
    tell(this.#kept[name] as ((value: unknown) => void) | undefined, value);
    if (name === "onDown") this.#isSilent = true;
  }

  /** True if the host has such a hook. */
  has(name: KeptName): boolean {
    return this.#kept[name] !== undefined;
  }

  /** From now on none is called. */
  silence(): void {
    this.#isSilent = true;
  }
}
