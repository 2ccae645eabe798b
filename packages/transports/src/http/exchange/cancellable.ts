import type { HostsideError } from "@hostside/core";

/** Something under way that can be taken back; whoever waits for it gets `reason`. */
export interface Cancellable {
  cancel(reason: HostsideError): void;
}
