import type { Cancel, Subscription } from "@hostside/core";
import { rpcCodes, rpcError } from "../message/json-rpc.ts";

/** The resources that one client is subscribed to. */
export interface PeerSubscriptions {
  /**
   * Subscribes by `open`, unless it is; the returned function takes it back. Throws an `rpcError`
   * beyond the limit, and as `open`.
   */
  add(uri: string, open: () => Promise<Subscription>): Promise<Cancel>;
  /** Takes one back, however often it was added. */
  remove(uri: string): void;
  readonly size: number;
  close(): void;
}

interface Followed {
  users: number;
  readonly opened: Promise<Subscription>;
}

/**
 * Makes it, for `most` resources. A server is asked once for each, whoever of the client wants it.
 */
export function createPeerSubscriptions(most: number): PeerSubscriptions {
  const followed = new Map<string, Followed>();
  const remove = (uri: string, one = followed.get(uri)): void => {
    if (one === undefined || followed.get(uri) !== one) return;
    followed.delete(uri);
    end(one);
  };
  const leave = (uri: string, one: Followed): void => {
    one.users -= 1;
    if (one.users === 0) remove(uri, one);
  };
  return {
    async add(uri, open) {
      let one = followed.get(uri);
      if (one === undefined) {
        if (followed.size >= most) throw rpcError(rpcCodes.refused, `No more than ${most} subscriptions at a time`);
        one = { users: 0, opened: open() };
        followed.set(uri, one);
      }
      one.users += 1;
      const mine = one;
      try {
        await mine.opened;
      } catch (error) {
        leave(uri, mine);
        throw error;
      }
      let isLeft = false;
      return () => {
        if (!isLeft) leave(uri, mine);
        isLeft = true;
      };
    },
    remove: (uri) => remove(uri),
    get size() {
      return followed.size;
    },
    close() {
      for (const one of followed.values()) end(one);
      followed.clear();
    },
  };
}

function end({ opened }: Followed): void {
  opened.then(
    (subscription) => subscription(),
    () => undefined,
  );
}
