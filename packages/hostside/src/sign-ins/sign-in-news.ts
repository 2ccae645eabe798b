import type { AccountOwner, OAuth } from "@hostside/auth";
import type { Notices } from "@hostside/core";
import { hashJson } from "@hostside/naming";

/** A sign-in that changed or ended: its principal and its server. */
export interface SignInChange extends AccountOwner {
  readonly signedOut: boolean;
}

/** Reports sign-ins and sign-outs of this process, and of the replicas that share its state. */
export interface SignInNews {
  /** Calls `listener` after each for this principal, until the returned function is called. */
  on(principal: string | undefined, listener: (change: SignInChange) => void): () => void;
  /** The same for each that this process hears of, whoever the principal is. */
  onAny(listener: (change: SignInChange) => void): () => void;
  close(): void;
}

/** Reports what `oauth` reports, to other replicas too. */
export function createSignInNews(oauth: OAuth | undefined, notices: Notices | undefined): SignInNews {
  const follow = (listener: (change: SignInChange) => void): (() => void) => {
    const ends = [
      oauth?.onSignedIn(({ serverId, principal }) => listener({ serverId, principal, signedOut: false })),
      oauth?.onSignedOut((owner) => listener({ ...owner, signedOut: true })),
    ];
    return () => ends.forEach((end) => end?.());
  };
  const unpublish = follow(({ principal }) => {
    // A replica that misses it reads the store with a later request.
    notices?.publish(topicOf(principal)).catch(() => undefined);
  });
  return {
    on(principal, listener) {
      const here = follow((change) => {
        if (change.principal === principal) listener(change);
      });
      const reload = (): void => void oauth?.reload({ principal }).catch(() => undefined);
      const elsewhere = oauth && notices?.subscribe(topicOf(principal), reload);
      return () => {
        here();
        elsewhere?.();
      };
    },
    onAny: follow,
    close: unpublish,
  };
}

// Topics are bounded, and names of users are nobody else's business.
function topicOf(principal: string | undefined): string {
  return `hostside:sign-ins:${hashJson(principal ?? null)}`;
}
