import type { GatewayLimits } from "../gateway-limits.ts";

/** Bytes of bodies that come in now, of all clients. */
export interface IncomingBytes {
  /** For the time of one body. */
  begin(owner: string | undefined): IncomingBody;
}

/** Those of one body. */
export interface IncomingBody {
  /** Takes room for so many more; `false`: there is none. */
  take(bytes: number): boolean;
  /** Gives back what was taken; nothing is taken any more. */
  end(): void;
}

/**
 * Makes it. A quarter is for each owner, and one body at least, so that nobody fills all the room;
 * who has no name of its own is the only one.
 */
export function createIncomingBytes({
  maxIncomingBytes,
  maxBodyBytes,
}: Pick<GatewayLimits, "maxIncomingBytes" | "maxBodyBytes">): IncomingBytes {
  const share = Math.max(Math.floor(maxIncomingBytes / 4), maxBodyBytes);
  const byOwner = new Map<string, number>();
  let all = 0;
  const count = (owner: string | undefined, bytes: number): void => {
    all += bytes;
    if (owner === undefined) return;
    const own = (byOwner.get(owner) ?? 0) + bytes;
    if (own > 0) byOwner.set(owner, own);
    else byOwner.delete(owner);
  };
  return {
    begin(owner) {
      let taken = 0;
      let isOver = false;
      return {
        take(bytes) {
          const own = owner === undefined ? 0 : (byOwner.get(owner) ?? 0);
          if (isOver || all + bytes > maxIncomingBytes || own + bytes > share) return false;
          taken += bytes;
          count(owner, bytes);
          return true;
        },
        end() {
          isOver = true;
          count(owner, -taken);
          taken = 0;
        },
      };
    },
  };
}
