import type { Random } from "@hostside/core";

/** Hands out the ids of requests. */
export interface RequestIds {
  /** The id of the next request. */
  next: number;
  /** True for an id that was handed out. */
  issued(id: number): boolean;
  /**
   * From now on ids go on from anywhere, so that a server cannot answer what it was not asked yet.
   * Before, they count from 0.
   */
  leaveHandshake(): void;
}

// Numbers, because some servers mishandle ids of text; and such as fit into 31 bits.
const mostFirstIds = 2 ** 29;

/** Makes one. Who takes the next id counts it up. */
export function createRequestIds(random: Random): RequestIds {
  let handshakeEnd = Number.POSITIVE_INFINITY;
  let firstLater = 0;
  const ids: RequestIds = {
    next: 0,
    issued: (id) => id >= 0 && id < ids.next && (id < handshakeEnd || id >= firstLater),
    leaveHandshake() {
      if (handshakeEnd !== Number.POSITIVE_INFINITY) return;
      handshakeEnd = ids.next;
      ids.next += Math.floor(random() * mostFirstIds);
      firstLater = ids.next;
    },
  };
  return ids;
}
