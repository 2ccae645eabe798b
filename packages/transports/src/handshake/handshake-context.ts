import type { ServerSpec } from "@toolport/core";
import type { Deadline } from "@toolport/core/implement";
import type { ServerContext } from "../context/server-context.ts";
import type { ClientIdentity } from "../message/client-identity.ts";
import type { ActiveClocks } from "../time/active-clock.ts";
import type { Elicitor } from "../wire/elicitor.ts";
import type { EraCache } from "./era-cache.ts";

/** What all attempts of one connection share. */
export interface HandshakeContext extends ServerContext {
  readonly spec: ServerSpec;
  readonly identity: ClientIdentity;
  readonly eraCache: EraCache;
  /** For all attempts together. Whoever made the context disposes of it. */
  readonly deadline: Deadline;
  /** Makes what answers a server's elicitations; absent when nobody does, and then they are not advertised. */
  readonly createElicitor: ((activeClock: ActiveClocks) => Elicitor) | undefined;
}
