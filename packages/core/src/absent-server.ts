import type { HostsideErrorCode } from "./hostside-error-code.ts";

/** A server whose tools are not on offer now, and why. */
export interface AbsentServer {
  readonly id: string;
  /**
   * As its status says: `connecting`, `failed`, `needs-auth`, `disabled`; `idle` when nothing has
   * been asked of it, not even `init()`.
   */
  readonly state: string;
  /** Code of what it failed with. */
  readonly code?: HostsideErrorCode | undefined;
}
