import type { ToolportError } from "@toolport/core";

/** Something under way that can be taken back; whoever waits for it gets `reason`. */
export interface Cancellable {
  cancel(reason: ToolportError): void;
}
