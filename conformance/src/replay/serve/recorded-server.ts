import type { ServerSpec } from "@hostside/core";
import { serverTypeOf } from "@hostside/core/implement";
import type { Replay } from "../play/create-replay.ts";

/**
 * The one of a recording that is meant, by its id, or because there is no other one of its type.
 * Throws a `TypeError` otherwise.
 */
export function recordedServer({ servers }: Replay, type: "stdio" | "http", id: string | undefined): ServerSpec {
  const fit = servers.filter((server) => serverTypeOf(server) === type && (id === undefined || server.id === id));
  const [only] = fit;
  if (only !== undefined && fit.length === 1) return only;
  const named = servers.map((server) => `${JSON.stringify(server.id)} (${serverTypeOf(server)})`).join(", ");
  const wish = id === undefined ? `one server over ${type}` : `${JSON.stringify(id)} over ${type}`;
  throw new TypeError(`the recording does not have ${wish}; it has ${named === "" ? "none" : named}`);
}
