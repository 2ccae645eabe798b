import { isToolportError, type JsonObject, type ToolportError } from "@toolport/core";
import type { ClientIdentity } from "../client-identity.ts";
import type { ClaimedServerInfo } from "../connection/read-server-info.ts";
import { firstModernVersion, isModernVersion, lastLegacyVersion, modernEnvelope } from "../wire/request-meta.ts";
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
  /** The probe was not answered at all, so that the era is a guess. */
  readonly wasSilent: boolean;
}

/**
 * Starts a wire and finds out who is at its other end. Rejects with what the server did or failed to do, as a `ToolportError`; the
 * wire is the caller's to close.
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning
 * https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle
 */
export async function shakeHands(init: HandshakeInit): Promise<Greeting> {
  await init.wire.start();
  if (init.handshake === "legacy") return { claimed: await initialize(init), wasSilent: false };
  const { claimed, refusal } = await discover(init);
  if (claimed !== undefined) {
    init.wire.setProtocolVersion(claimed.protocolVersion);
    return { claimed, wasSilent: false };
  }
  if (init.handshake === "modern" || isModernOffer(refusal) || isFinal(refusal)) throw refusal;
  init.signal.throwIfAborted();
  if (!isOrdinary(refusal, init.wire)) tellFallback(init.context, refusal);
  return { claimed: await initialize(init, refusal), wasSilent: refusal.code === "request_timeout" };
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
  // Requests of their own can overtake each other. In a channel nothing can, so that what comes next leaves in the same write; and
  // a channel that fails tells so by itself.
  if (wire.hasPerRequestStream) await notified;
  else notified.catch(() => undefined);
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

// It speaks a later revision and none of ours: `initialize` would only hide that.
function isModernOffer({ details }: ToolportError): boolean {
  return details.supported?.some(isModernVersion) === true;
}

// How servers from before the probe say that they do not know it: with an error, with nonsense, or, over a single channel, not at all.
function isOrdinary({ code, details }: ToolportError, { hasPerRequestStream }: Wire): boolean {
  const { httpStatus = 0, rpcCode } = details;
  if (code === "request_timeout") return !hasPerRequestStream;
  const isNonsense = code === "handshake_failed" || code === "protocol_error" || code === "unsupported_protocol";
  return rpcCode !== undefined || isNonsense || (httpStatus >= 400 && httpStatus < 500);
}

function tellFallback({ serverId, onDiagnostic }: WireContext, { code }: ToolportError): void {
  const message = `server ${JSON.stringify(serverId)}: server/discover failed with ${code}; trying initialize`;
  onDiagnostic({ kind: "fallback", serverId, message });
}
