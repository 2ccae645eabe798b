import type { Owner } from "./entry.ts";
import type { PoolParts } from "./pool-parts.ts";
import { configOf, type ServerConfig } from "./server-config.ts";

/** A set without what has moved to providers of another kind; the same if nothing has. */
export function stayingOf(config: ServerConfig, owner: Owner, { hasMoved }: PoolParts): ServerConfig {
  const left = config.servers.filter(({ id }) => !hasMoved(id, owner));
  return left.length === config.servers.length ? config : configOf(left, owner.sharing === "shared");
}
