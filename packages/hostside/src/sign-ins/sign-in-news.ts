import { createHash } from "node:crypto";
import type { OAuth } from "@hostside/auth";
import type { Notices } from "@hostside/core";
import type { McpProvider } from "@hostside/provider";
import { needsSignIn } from "./pending-sign-ins.ts";

/** Reports sign-ins of this process, and of the replicas that share its state. */
export interface SignInNews {
  /** Calls `listener` after a sign-in for this principal, until the returned function is called. */
  on(principal: string | undefined, listener: () => void): () => void;
  close(): void;
}

/** Reports what `oauth` reports, to other replicas too. */
export function createSignInNews(oauth: OAuth | undefined, notices: Notices | undefined): SignInNews {
  const publishing = oauth?.onSignedIn(({ principal }) => {
    // A replica that misses it finds the sign-in with its next connection.
    notices?.publish(topicOf(principal)).catch(() => undefined);
  });
  return {
    on(principal, listener) {
      const here = oauth?.onSignedIn((signedIn) => {
        if (signedIn.principal === principal) listener();
      });
      const elsewhere = oauth && notices?.subscribe(topicOf(principal), listener);
      return () => {
        here?.();
        elsewhere?.();
      };
    },
    close: () => publishing?.(),
  };
}

/** Connects to the servers of a provider that waited for a sign-in. */
export function connectSignedIn(provider: McpProvider): void {
  for (const status of provider.statuses()) {
    if (needsSignIn(status)) provider.refreshServer(status.id).catch(() => undefined);
  }
}

// Topics are bounded, and names of users are nobody else's business.
function topicOf(principal: string | undefined): string {
  return `hostside:sign-ins:${createHash("sha256")
    .update(JSON.stringify(principal ?? null))
    .digest("hex")}`;
}
