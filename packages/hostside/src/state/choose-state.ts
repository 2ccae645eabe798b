import { inOption } from "../check-options.ts";
import { createMemoryCredentials, createKeyvCredentials, type CredentialStore } from "@hostside/auth";
import { createMemoryStore, type Diagnostic } from "@hostside/core";
import type { HostOptions, HostState } from "../host-options.ts";
import { userState } from "./user-state.ts";

/** The state that a host uses. */
export interface ChosenState extends Omit<HostState, "close"> {
  readonly credentials: CredentialStore;
  /** `true` if other replicas have it, too, as far as can be seen: they can be told of changes. */
  readonly isShared: boolean;
  /** `true` if it is still there when this process has ended. */
  readonly outlives: boolean;
  /** Ends the subscription to the engine behind it. The state itself stays open. */
  close(): void;
}

type Means = { readonly report: (diagnostic: Diagnostic) => void };

/** Takes the state of the options, or makes the one that they want. */
export function chooseState({ state, config }: Pick<HostOptions, "state" | "config">, means: Means): ChosenState {
  const { report } = means;
  const isUsers = state === "user" || (state === undefined && config === "auto");
  const outlives = isUsers || typeof state === "object";
  const inMemory = (): HostState => ({
    store: createMemoryStore(),
    credentials: createMemoryCredentials(),
  });
  const given = typeof state === "object" ? state : isUsers ? userState() : inMemory();
  const end = given.onDiagnostic?.(({ kind, message }) => report({ kind, serverId: "", message }));
  const isShared = given.notices !== undefined;
  return { ...given, credentials: credentialsOf(given, means), isShared, outlives, close: () => end?.() };
}

/**
 * The credentials of a state: its own, else its store sealed with its keys. Without either they are
 * never written to the store: this process keeps them in memory, and reports that with the first
 * one.
 */
function credentialsOf({ store, lock, credentials, keys }: HostState, { report }: Means): CredentialStore {
  if (credentials !== undefined) return credentials;
  if (keys !== undefined && lock !== undefined)
    return inOption("state", () => createKeyvCredentials({ store, lock, keys }));
  const memory = createMemoryCredentials();
  let isSaid = false;
  return {
    ...memory,
    async save(...saved) {
      const message =
        "sign-ins are kept in the memory of this process alone, and gone with it: state has neither credentials nor keys to seal them with";
      if (!isSaid) report({ kind: "not-kept", serverId: "", message });
      isSaid = true;
      return memory.save(...saved);
    },
  };
}
