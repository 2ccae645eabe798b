/// <reference lib="esnext.disposable" preserve="true" />
import type { HostParts } from "../../create-host.ts";
import type { HostState } from "../../host-options.ts";
import type { Approver } from "./asking/ask-user.ts";
import type { TerminalPrompter } from "./asking/terminal-asker.ts";

/** The user's servers, as a command works with them. */
export interface OpenedHost extends HostParts, AsyncDisposable {
  readonly state: HostState;
  /** Asks the person at the terminal; `undefined` where nobody is to be asked. */
  readonly asker: TerminalPrompter | undefined;
  /** Whom calls are approved by, see `HostWish.approver`. */
  readonly approver?: Approver | undefined;
}
