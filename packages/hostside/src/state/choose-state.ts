import { inOption } from "../contract/check-options.ts";
import type { CredentialStore } from "@hostside/auth";
import { createMemoryStore, type Diagnostic } from "@hostside/core";
import type { HostOptions, HostState } from "../contract/host-options.ts";

/** The place of sign-ins, which is loaded when it is needed. */
export interface Credentials {
  /** `true`: nobody is signed in before it is opened. */
  readonly isEmpty: boolean;
  open(): Promise<CredentialStore>;
}

/** The state that a host uses. */
export interface ChosenState extends Omit<HostState, "close" | "credentials"> {
  readonly credentials: Credentials;
  /** `true` if other replicas have it, too, as far as can be seen: they can be told of changes. */
  readonly isShared: boolean;
  /** `true` if it is still there when this process has ended. */
  readonly outlives: boolean;
  /** Ends the subscription to the engine behind it. The state itself stays open. */
  close(): void;
}

type Means = { readonly report: (diagnostic: Diagnostic) => void };

/**
 * Takes the state of the options, or makes the one that they want. Rejects with a `TypeError` for
 * keys that are wrong.
 */
export async function chooseState(
  { state, config }: Pick<HostOptions, "state" | "config">,
  { report }: Means,
): Promise<ChosenState> {
  const isUsers = state === "user" || (state === undefined && config === "auto");
  const outlives = isUsers || typeof state === "object";
  const given = typeof state === "object" ? state : isUsers ? await openUserState() : { store: createMemoryStore() };
  const open = (): Promise<CredentialStore> => openCredentials(given, outlives ? report : undefined);
  const sealed = given.keys && (await open());
  const end = given.onDiagnostic?.(({ kind, message }) => report({ kind, serverId: "", message }));
  const isShared = given.notices !== undefined;
  const credentials = {
    isEmpty: given.credentials === undefined && given.keys === undefined,
    open: async () => sealed ?? open(),
  };
  return { ...given, credentials, isShared, outlives, close: () => end?.() };
}

async function openUserState(): Promise<HostState> {
  const { userState } = await import("./user-state.ts");
  return userState();
}

/**
 * Opens the credentials of a state: its own, else its store sealed with its keys. Without either
 * they are never written to the store: this process keeps them in memory, and `report` hears of
 * the first one.
 */
async function openCredentials(
  { store, lock, credentials, keys }: HostState,
  report: Means["report"] | undefined,
): Promise<CredentialStore> {
  if (credentials !== undefined) return credentials;
  const { createKeyvCredentials, createMemoryCredentials } = await import("@hostside/auth");
  if (keys !== undefined && lock !== undefined)
    return inOption("state", () => createKeyvCredentials({ store, lock, keys }));
  const memory = createMemoryCredentials();
  if (report === undefined) return memory;
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
