import { withServer } from "./reach-server.ts";
import type { JsonObject } from "@hostside/core";
import { isJsonObject, type serverWords } from "@hostside/core/implement";
import type { Obstacle } from "../engine/run-report.ts";
import { describeAnswer } from "./handshake.ts";
import type { ServerAddress } from "./server-address.ts";

type ClaimedWords = Parameters<typeof serverWords>[0];

/** What a server offers, or why that is not known. */
export type ReadOffer =
  | { readonly ok: true; readonly tools: readonly JsonObject[]; readonly server: ClaimedWords }
  | { readonly ok: false; readonly obstacle?: Obstacle; readonly reason: string };

/** Options of {@linkcode readOffer}. */
export interface ReadOfferOptions {
  /** How long an answer may take, in milliseconds. Default 10,000. */
  readonly answerMs?: number;
  /** How long the first answer may take, in milliseconds. Default 30,000. */
  readonly startMs?: number;
  readonly signal?: AbortSignal;
}

/** Starts or connects to a server, lists all of its tools, and closes. Calls nothing. */
export async function readOffer(
  address: ServerAddress,
  { answerMs = 10_000, startMs = 30_000, signal }: ReadOfferOptions = {},
): Promise<ReadOffer> {
  const consent = { named: new Map<string, undefined>(), all: false };
  const contact = { answerMs, startMs, signal, address, consent };
  return withServer(contact, async ({ owner, reached, redact }): Promise<ReadOffer> => {
    if (reached.kind === "obstacle") return { ok: false, obstacle: reached.obstacle, reason: reached.obstacle.reason };
    if (reached.kind === "answers") return { ok: false, reason: "no handshake succeeded; run the server checks" };
    const { items, broken, endless, isCut } = await owner.enter().target.listing();
    if (broken) return { ok: false, reason: redact(`tools/list: ${describeAnswer(broken)}`) };
    if (endless !== undefined) return { ok: false, reason: redact(`tools/list: ${endless}`) };
    if (isCut) return { ok: false, reason: "tools/list: more pages than are read" };
    return { ok: true, tools: items, server: describedBy(reached.handshake.result) };
  });
}

/** What the result of either handshake says of its server. */
function describedBy({ instructions, serverInfo, _meta: meta }: JsonObject): ClaimedWords {
  const named = serverInfo ?? (isJsonObject(meta) ? meta["io.modelcontextprotocol/serverInfo"] : undefined);
  return { ...(isJsonObject(named) && named), instructions };
}
