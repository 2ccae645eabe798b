import type { JsonObject } from "@hostside/core";
import { isJsonObject, type serverWords } from "@hostside/core/implement";
import type { Obstacle } from "../engine/run-report.ts";
import { createTraceRecorder } from "../engine/trace-recorder.ts";
import { describeAnswer } from "./handshake.ts";
import { detectSse } from "./detect-sse.ts";
import { reachServer } from "./reach-server.ts";
import { redactorOf, type ServerAddress } from "./server-address.ts";
import { createTargetOwner } from "./server-target.ts";

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
export async function readOffer(address: ServerAddress, options: ReadOfferOptions = {}): Promise<ReadOffer> {
  const { answerMs = 10_000, startMs = 30_000, signal } = options;
  const redact = redactorOf(address);
  const trace = createTraceRecorder({ redact });
  const consent = { named: new Map<string, undefined>(), all: false };
  const owner = createTargetOwner({ address, consent, trace, answerMs });
  const abandon = (): void => owner.abandon();
  process.once("exit", abandon);
  try {
    const reached = await reachServer(owner, { address, answerMs, startMs, redact, signal });
    const status = reached.kind === "answers" ? reached.status : undefined;
    const older = await detectSse(address, { status, trace, answerMs });
    if (older !== undefined) return await readOffer(older, options);
    if (reached.kind === "obstacle") return { ok: false, obstacle: reached.obstacle, reason: reached.obstacle.reason };
    if (reached.kind === "answers") return { ok: false, reason: "no handshake succeeded; run the server checks" };
    const { target } = owner.enter();
    const { tools, broken, repeatedCursor } = await target.listing();
    if (broken) return { ok: false, reason: redact(`tools/list: ${describeAnswer(broken)}`) };
    if (repeatedCursor !== undefined) return { ok: false, reason: "tools/list: a cursor came twice" };
    return { ok: true, tools, server: describedBy(reached.handshake.result) };
  } finally {
    await owner.close();
    process.off("exit", abandon);
  }
}

/** What the result of either handshake says of its server. */
function describedBy({ instructions, serverInfo, _meta: meta }: JsonObject): ClaimedWords {
  const named = serverInfo ?? (isJsonObject(meta) ? meta["io.modelcontextprotocol/serverInfo"] : undefined);
  return { ...(isJsonObject(named) && named), instructions };
}
