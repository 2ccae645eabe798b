import { findLostNumber, jsonValuesBeyond, resultWithin, type LostNumber } from "@hostside/core/implement";
import { HttpRefusal } from "./authenticate-request.ts";
import type { GatewayHttpExchange } from "./http-exchange.ts";
import { rpcCodes, tooManyValues } from "../message/json-rpc.ts";
import type { GatewayLimits } from "../settings/gateway-limits.ts";
import type { GatewaySettings } from "../settings/gateway-options.ts";

/** The JSON of a POST, and its first number that lost digits. Throws an {@linkcode HttpRefusal}. */
export async function readPost(
  exchange: GatewayHttpExchange,
  { limits }: Pick<GatewaySettings, "limits">,
  incoming: IncomingBody,
): Promise<{ readonly json: unknown; readonly lost: LostNumber | undefined }> {
  const type = (exchange.header("content-type") ?? "").split(";")[0]?.trim().toLowerCase();
  if (type !== "application/json") {
    throw new HttpRefusal(415, "Unsupported media type: the body has to be application/json");
  }
  const maxBytes = limits.maxBodyBytes;
  const reading = exchange.readBody(maxBytes, (bytes) => incoming.take(bytes));
  const body = await resultWithin(reading, limits.requestMs).finally(() => incoming.end());
  if (body === undefined) throw new HttpRefusal(408, "The body did not come in time");
  if ("problem" in body) {
    if (body.problem === "too-large") throw new HttpRefusal(413, `The body has more than ${maxBytes} bytes`);
    if (body.problem === "no-utf8") throw new HttpRefusal(400, "The body is no UTF-8");
    throw new HttpRefusal(503, "Too much comes in at a time: try again", { headers: { "retry-after": "1" } });
  }
  const values = jsonValuesBeyond(body.text, limits.maxBodyValues);
  if (values !== undefined) throw new HttpRefusal(413, tooManyValues(values, limits.maxBodyValues));
  try {
    return { json: JSON.parse(body.text) as unknown, lost: findLostNumber(body.text) };
  } catch {
    throw HttpRefusal.of(400, { code: rpcCodes.parseError, message: "Parse error: this is no JSON" });
  }
}

/** Bytes of bodies that come in now, of all clients. */
export interface IncomingBytes {
  /** For the time of one body. */
  begin(owner: string | undefined): IncomingBody;
}

/** The bytes of one body. */
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
