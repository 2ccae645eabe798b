import type { AuthorizationProvider } from "./authorization-provider.ts";
import type { AuthorizationRefusal } from "../exchange/authorizer.ts";
import type { SentUser } from "./guarded-oauth-provider.ts";

/** One attempt to get credentials, which several requests may wait for. */
export interface PendingRecovery {
  readonly work: Promise<void>;
  /** On the connection's clock. */
  readonly expiresAt: number;
}

/**
 * What outlives a connection, because the user's answer may come when the connection that asked is
 * gone.
 */
export interface AuthorizationState {
  recovery: PendingRecovery | undefined;
  /** When users were sent to their browser. */
  userAuthorizations: number[];
  metadataUrl: URL | undefined;
  scope: string | undefined;
  /** Where the user was sent last. */
  sent: SentUser | undefined;
  /** The latest refusal for want of scope that no user was there to answer. */
  stepUp: AuthorizationRefusal | undefined;
  /**
   * The credentials were cleared: what is under way on behalf of this state must save nothing any
   * more.
   */
  isForgotten: boolean;
}

const states = new WeakMap<AuthorizationProvider, AuthorizationState>();

/** The state of a provider, which is recognised by its identity. */
export function authorizationStateOf(provider: AuthorizationProvider): AuthorizationState {
  let state = states.get(provider);
  if (state === undefined) {
    state = {
      recovery: undefined,
      userAuthorizations: [],
      metadataUrl: undefined,
      scope: undefined,
      sent: undefined,
      stepUp: undefined,
      isForgotten: false,
    };
    states.set(provider, state);
  }
  return state;
}

/** Forgets what an authorization left half done; what is under way fails, and saves nothing. */
export function forgetAuthorization(provider: AuthorizationProvider): void {
  const state = states.get(provider);
  if (state !== undefined) state.isForgotten = true;
  states.delete(provider);
}
