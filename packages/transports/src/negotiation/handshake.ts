import { isToolportError, ToolportError, type JsonObject } from "@toolport/core";
import type { ClientIdentity } from "../client-identity.ts";
import type { ClaimedServerInfo } from "../connection/read-server-info.ts";
import {
  firstModernVersion,
  isModernVersion,
  lastLegacyVersion,
  legacyRevisions,
  modernEnvelope,
} from "../wire/request-meta.ts";
import type { WireContext } from "../wire/wire-context.ts";
import type { Wire } from "../wire/wire.ts";
import { isFinal } from "./next-attempt.ts";
import { readDiscovered, readInitialized } from "./read-greeting.ts";

/**
 * How a connection attempt finds the era: `probe` asks with `server/discover` and takes what comes, `legacy` goes straight to
 * `initialize`, `modern` insists on 2026-07-28.
 */
export type Handshake = "probe" | "legacy" | "modern";

/** The request that a handshake is at. */
export type HandshakeStep = "server/discover" | "initialize";

/** What a handshake needs. */
export interface HandshakeInit {
  readonly context: WireContext;
  readonly wire: Wire;
  readonly identity: ClientIdentity;
  readonly handshake: Handshake;
  /** For the probe to be answered, in milliseconds. */
  readonly probeMs: number;
  /** For any other request, in milliseconds. */
  readonly timeoutMs: number;
  /** Aborted when the server is gone, or the attempt is given up. */
  readonly signal: AbortSignal;
  /** Told which request comes next, and why the one before it did not do. */
  readonly onStep: (step: HandshakeStep, refusal?: ToolportError) => void;
}

/** What came of it. */
export interface Greeting {
  readonly claimed: ClaimedServerInfo;
  /** `false`: the probe was answered by silence or by a failure, which say nothing about the server's next start. */
  readonly isCertain: boolean;
}

/**
 * Starts a wire and finds out who is at its other end. Rejects with what the server did or failed to do, as a `ToolportError`; the
 * wire is the caller's to close.
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning
 * https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle
 */
export async function shakeHands(init: HandshakeInit): Promise<Greeting> {
  await init.wire.start();
  if (init.handshake === "legacy") return { claimed: await initialize(init), isCertain: true };
  const { claimed, refusal } = await discover(init);
  if (claimed !== undefined) {
    init.wire.setProtocolVersion(claimed.protocolVersion);
    return { claimed, isCertain: true };
  }
  if (isModernOffer(refusal) || isFinal(refusal)) throw refusal;
  const isAnswer = isOrdinary(refusal, init.wire);
  if (init.handshake === "modern") throw isAnswer ? notModern(init.context, refusal) : refusal;
  init.signal.throwIfAborted();
  if (!isAnswer) tellFallback(init.context, refusal);
  const isCertain = isAnswer && refusal.code !== "request_timeout";
  return { claimed: await initialize(init, refusal), isCertain };
}

type Discovery =
  | { readonly claimed: ClaimedServerInfo; readonly refusal?: undefined }
  | { readonly claimed?: undefined; readonly refusal: ToolportError };

async function discover(init: HandshakeInit): Promise<Discovery> {
  const first = await discoverOnce(init);
  // A server may refuse a revision and name the very same: what it did not like was something else, and may have passed.
  return first.refusal?.details.supported?.includes(firstModernVersion) === true ? discoverOnce(init) : first;
}

async function discoverOnce(init: HandshakeInit): Promise<Discovery> {
  const { identity, handshake, probeMs, timeoutMs, context } = init;
  const params = { _meta: modernEnvelope(firstModernVersion, identity) };
  const patienceMs = handshake === "probe" ? Math.min(probeMs, timeoutMs) : timeoutMs;
  try {
    return { claimed: readDiscovered(await ask(init, "server/discover", { params, timeoutMs: patienceMs }), context) };
  } catch (error) {
    if (!isToolportError(error)) throw error;
    return { refusal: error };
  }
}

async function initialize(init: HandshakeInit, refusal?: ToolportError): Promise<ClaimedServerInfo> {
  const { identity, wire, timeoutMs, context } = init;
  const { info, capabilities } = identity;
  const params = { protocolVersion: lastLegacyVersion, capabilities, clientInfo: { ...info } };
  const claimed = readInitialized(await ask(init, "initialize", { params, timeoutMs, refusal }), context);
  wire.setProtocolVersion(claimed.protocolVersion);
  const notified = wire.notify("notifications/initialized", undefined);
  // In order, what comes next may leave in the same write; a process or a pipe that fails tells so by itself.
  if (wire.isOrdered) notified.catch(() => undefined);
  else await notified;
  return claimed;
}

interface Asking {
  readonly params: JsonObject;
  readonly timeoutMs: number;
  readonly refusal?: ToolportError | undefined;
}

function ask(
  { wire, onStep }: HandshakeInit,
  method: HandshakeStep,
  { params, timeoutMs, refusal }: Asking,
): Promise<JsonObject> {
  onStep(method, refusal);
  return wire.request({ method, params, timeoutMs, timeoutCode: "request_timeout", isCancellable: false });
}

// It speaks modern revisions alone: `initialize` would only hide that.
function isModernOffer({ details: { supported = [] } }: ToolportError): boolean {
  return supported.some(isModernVersion) && !supported.some((version) => legacyRevisions.includes(version));
}

// How servers from before the probe say that they do not know it: with an error, with nonsense, or, over a single channel, not at all.
function isOrdinary({ code, details }: ToolportError, { hasPerRequestStream }: Wire): boolean {
  const { httpStatus = 0, rpcCode } = details;
  if (code === "request_timeout") return !hasPerRequestStream;
  const isNonsense = code === "handshake_failed" || code === "protocol_error" || code === "unsupported_protocol";
  return rpcCode !== undefined || isNonsense || (httpStatus >= 400 && httpStatus < 500);
}

function notModern({ serverId }: WireContext, refusal: ToolportError): ToolportError {
  return new ToolportError(
    `server ${JSON.stringify(serverId)} was asked for ${firstModernVersion} and nothing else, and does not speak it: ${refusal.rawMessage}`,
    { code: "unsupported_protocol", serverId, details: refusal.details, cause: refusal },
  );
}

function tellFallback({ serverId, onDiagnostic }: WireContext, { code, rawMessage }: ToolportError): void {
  const message = `server ${JSON.stringify(serverId)}: server/discover failed with ${code}; trying initialize (${rawMessage})`;
  onDiagnostic({ kind: "fallback", serverId, message });
}
