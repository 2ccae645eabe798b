import type { ServerSpec } from "@hostside/core";
import type { Deadline } from "@hostside/core/implement";
import type { ServerContext } from "../context/server-context.ts";
import type { MetaSource } from "../message/carried-meta.ts";
import type { ClientIdentity } from "../message/client-identity.ts";
import type { ActiveClocks } from "../time/active-clock.ts";
import type { Elicitor } from "../wire/elicitor.ts";
import type { EraCache } from "./era-cache.ts";

/** What all attempts of one connection share. */
export interface HandshakeContext extends ServerContext {
  readonly spec: ServerSpec;
  /** What is kept when the opening is over. */
  readonly lasting: ServerContext;
  readonly identity: ClientIdentity;
  readonly eraCache: EraCache;
  /**
   * What goes along in `_meta` of the requests that the connection begins with; absent when nothing
   * does.
   */
  readonly opening: MetaSource | undefined;
  /** For all attempts together. Whoever made the context disposes of it. */
  readonly deadline: Deadline;
  /**
   * Makes what answers a server's elicitations; absent when nobody does, and then they are not
   * advertised.
   */
  readonly createElicitor: ((activeClock: ActiveClocks) => Elicitor) | undefined;
}
