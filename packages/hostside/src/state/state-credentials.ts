import { createKeyvCredentials, createMemoryCredentials, type CredentialStore } from "@hostside/auth";
import type { Clock, Diagnostic } from "@hostside/core";
import type { HostState } from "../host-options.ts";

/** What the credentials of a state are made with. */
export interface CredentialsMeans {
  readonly clock: Clock;
  readonly report: (diagnostic: Diagnostic) => void;
}

/**
 * Where a state keeps sign-ins: in its `credentials`, else in its store, sealed with its keys.
 * Without either they are never written to the store: this process keeps them in memory, and says
 * so when it has the first one.
 */
export function stateCredentials(
  { store, lock, credentials, keys }: HostState,
  { clock, report }: CredentialsMeans,
): CredentialStore {
  if (credentials !== undefined) return credentials;
  if (keys !== undefined && lock !== undefined) return createKeyvCredentials({ store, lock, keys, clock });
  const memory = createMemoryCredentials({ clock });
  let isSaid = false;
  return {
    ...memory,
    async save(...saved) {
      if (!isSaid) {
        isSaid = true;
        const message =
          "sign-ins are kept in the memory of this process alone, and gone with it: state has neither credentials nor keys to seal them with";
        report({ kind: "not-kept", serverId: "", message });
      }
      return memory.save(...saved);
    },
  };
}
