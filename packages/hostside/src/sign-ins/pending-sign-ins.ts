import type { OAuth, PendingAuthorization, SignInOptions } from "@hostside/auth";
import type { McpProvider, ServerStatus } from "@hostside/provider";

/** A server that somebody has to sign in to before its tools can be used. */
export interface PendingSignIn {
  readonly serverId: string;
  /** In the host's words. */
  readonly title: string;
  /** As its status says: `needs-auth`, or `connecting` while it is tried again. */
  readonly state: ServerStatus["state"];
  /** The principal of the sign-in, for `complete()`. Absent: that of the host itself. */
  readonly principal: string | undefined;
  /** Begins the sign-in, as `begin()` of `oauth` does: send the user to the `url`. */
  begin(options?: Omit<SignInOptions, "principal">): Promise<PendingAuthorization>;
}

/** Lists what has to be signed in to of the servers of these providers. */
export function pendingSignIns(providers: readonly McpProvider[], oauth: OAuth | undefined): readonly PendingSignIn[] {
  if (oauth === undefined) return [];
  return providers.flatMap((provider) =>
    provider.statuses().flatMap((status) => {
      if (!needsSignIn(status)) return [];
      const { id: serverId, state } = status;
      const { principal } = provider;
      const title = provider.describeServer?.(serverId)?.title ?? serverId;
      return {
        serverId,
        title,
        state,
        principal,
        begin: (options) => oauth.begin(serverId, { ...options, principal }),
      };
    }),
  );
}

/** Tells if a user has to sign in to a server. */
export function needsSignIn({ auth, state, error }: ServerStatus): boolean {
  return auth === "oauth" && (state === "needs-auth" || (state === "connecting" && error?.code === "auth_required"));
}
