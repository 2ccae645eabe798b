/// <reference lib="esnext.disposable" preserve="true" />
import type { ToolportState } from "../../toolport-options.ts";
import type { Toolport } from "../../toolport.ts";
import type { Approver } from "./asking/approve-calls.ts";
import type { Asker } from "./asking/asker.ts";

/** The user's servers, as a command works with them. */
export interface Host extends AsyncDisposable {
  readonly toolport: Toolport;
  readonly state: ToolportState;
  /** Asks the person at the terminal; `undefined` where nobody is to be asked. */
  readonly asker: Asker | undefined;
  /** Whom calls are approved by, see `HostWish.approver`. */
  readonly approver?: Approver | undefined;
}
