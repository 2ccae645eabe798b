/// <reference lib="esnext.disposable" preserve="true" />
import type { ToolportState } from "../../toolport-options.ts";
import type { Toolport } from "../../toolport.ts";

/** The user's servers, as a command works with them. */
export interface Host extends AsyncDisposable {
  readonly toolport: Toolport;
  readonly state: ToolportState;
}
