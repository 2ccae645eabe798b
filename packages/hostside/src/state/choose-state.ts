import { inOption } from "../check-options.ts";
import { createMemoryCredentials, createKeyvCredentials, type CredentialStore } from "@hostside/auth";
import { createMemoryStore, type Diagnostic, type Lock, type Notices, type Store } from "@hostside/core";
import type { PolicyOptions } from "@hostside/policy";
import type { HostOptions, HostState } from "../host-options.ts";
import { userState } from "./user-state.ts";

/** Where a host keeps what outlives a call. */
export interface ChosenState {
  readonly store: Store;
  readonly lock: Lock | undefined;
  readonly notices: Notices | undefined;
  readonly limitStore: PolicyOptions["limitStore"];
  readonly credentials: CredentialStore;
  /** Whether other replicas have it, too, as far as can be seen: they can be told of changes. */
  readonly isShared: boolean;
  /** Whether it is still there when this process has ended. */
  readonly outlives: boolean;
  /** Hears no more of the engine behind it. */
  close(): void;
}

/** With what a state is chosen. */
export interface StateMeans {
  readonly report: (diagnostic: Diagnostic) => void;
}

/**
 * Takes what was handed over, or makes what the options want. What was handed over is never closed.
 */
export function chooseState({ state, config }: Pick<HostOptions, "state" | "config">, means: StateMeans): ChosenState {
  if (typeof state === "object") return openState(state, means);
  const isUsers = state === undefined ? config === "auto" : state === "user";
  if (isUsers) return openState(userState(), means);
  const credentials = createMemoryCredentials();
  return { ...openState({ store: createMemoryStore(), credentials }, means), outlives: false };
}

function openState(state: HostState, means: StateMeans): ChosenState {
  const { store, lock, notices, limitStore, onDiagnostic } = state;
  const end = onDiagnostic?.(({ kind, message }) => means.report({ kind, serverId: "", message }));
  return {
    store,
    lock,
    notices,
    limitStore,
    credentials: stateCredentials(state, means),
    isShared: notices !== undefined,
    outlives: true,
    close: () => end?.(),
  };
}

/** What the credentials of a state are made with. */
export interface CredentialsMeans {
  readonly report: (diagnostic: Diagnostic) => void;
}

/**
 * Where a state keeps sign-ins: in its `credentials`, else in its store, sealed with its keys.
 * Without either they are never written to the store: this process keeps them in memory, and says
 * so when it has the first one.
 */
function stateCredentials(
  { store, lock, credentials, keys }: HostState,
  { report }: CredentialsMeans,
): CredentialStore {
  if (credentials !== undefined) return credentials;
  if (keys !== undefined && lock !== undefined)
    return inOption("state", () => createKeyvCredentials({ store, lock, keys }));
  const memory = createMemoryCredentials();
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
