import { HostsideError, isHostsideError, type JsonObject } from "@hostside/core";
import {
  isJsonObject,
  latestLegacyRevision,
  legacyRevisions,
  modernRevision,
  resultWithin,
} from "@hostside/core/implement";
import type { ServerContext } from "../context/server-context.ts";
import { isFinal, isModernRefusal, type Handshake } from "./next-attempt.ts";
import { describeOffer } from "../message/from-rpc-error.ts";
import { carriedMeta, type MetaSource } from "../message/outgoing-request.ts";
import type { ClaimedServerInfo } from "../message/read-server-info.ts";
import { isModernVersion, modernEnvelope, type ClientIdentity } from "../message/revisions.ts";
import { safeExcerpt } from "../text/safe-excerpt.ts";
import type { Wire } from "../wire/wire.ts";

/** The request that a handshake is at. */
export type HandshakeStep = "server/discover" | "initialize";

/** The input of {@linkcode shakeHands}. */
export interface HandshakeInit {
  readonly context: ServerContext;
  readonly wire: Wire;
  readonly identity: ClientIdentity;
  /** Gives more for the `_meta` of each request of it. */
  readonly opening?: MetaSource | undefined;
  readonly handshake: Handshake;
  /** How long the probe is out alone, in milliseconds. Afterwards `initialize` is out, too. */
  readonly probeMs: number;
  /** For a request to be answered, in milliseconds. */
  readonly timeoutMs: number;
  /** Aborted when the server is gone, or the attempt is given up. */
  readonly signal: AbortSignal;
  /** Told which request comes next, and why the one before it did not do. */
  readonly onStep: (step: HandshakeStep, refusal?: HostsideError) => void;
}

/** The result of a handshake. */
export interface Greeting {
  readonly claimed: ClaimedServerInfo;
  /**
   * `false`: to the probe there was silence or a failure, which say nothing about the server's next
   * start.
   */
  readonly isCertain: boolean;
}

/**
 * Starts a wire and finds out which era the server speaks. Only answers decide. After silence to
 * the probe, `initialize` is sent as well; over HTTP only to a server that answers `ping`. The
 * first valid answer counts. Rejects with a `HostsideError` that says what the server did or failed
 * to do. The caller closes the wire.
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning
 * https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle
 */
export async function shakeHands(init: HandshakeInit): Promise<Greeting> {
  const { wire, handshake } = init;
  await wire.start();
  if (handshake === "legacy") return beginLegacy(init, await askInitialize(init), true);
  const giveUp = new AbortController();
  const probe = discover(init, giveUp.signal);
  const first = handshake === "modern" ? await probe : await resultWithin(probe, init.probeMs);
  if (first !== undefined) return decideByProbe(init, first);
  // Over HTTP, `initialize` would do harm at a server of 2026-07-28 that is only slow.
  const late = wire.hasPerRequestStream ? await waitForLife(init, probe) : undefined;
  return late === undefined ? decideAfterSilence(init, probe, giveUp) : decideByProbe(init, late);
}

async function decideByProbe(init: HandshakeInit, { claimed, refusal }: Answer): Promise<Greeting> {
  const { handshake, context, signal } = init;
  if (claimed !== undefined) return beginModern(init, claimed);
  if (endsTheSearch(refusal)) throw refusal;
  const isAnswer = isOrdinary(refusal);
  if (handshake === "modern") throw isAnswer ? notModern(context, refusal) : refusal;
  signal.throwIfAborted();
  if (!isAnswer) reportFallback(context, refusal);
  return beginLegacy(init, await askInitialize(init, { refusal }), isAnswer);
}

/**
 * Waits for the answer to the probe, or for another sign of life. A server that answers `ping` and
 * stays silent to the probe is not slow: it ignores the probe. Resolves to `undefined` for it.
 */
async function waitForLife(init: HandshakeInit, probe: Promise<Answer>): Promise<Answer | undefined> {
  const notWanted = new AbortController();
  const answerIfSlow = isAlive(init, notWanted.signal).then((lives) => (lives ? undefined : probe));
  const first = await Promise.race([probe, answerIfSlow]);
  notWanted.abort();
  return first ?? resultWithin(probe, init.probeMs);
}

async function isAlive({ wire, timeoutMs }: HandshakeInit, signal: AbortSignal): Promise<boolean> {
  try {
    await wire.request({
      method: "ping",
      params: {},
      timeoutMs,
      timeoutCode: "request_timeout",
      isCancellable: false,
      signal,
    });
    return true;
  } catch (error) {
    if (!isHostsideError(error)) throw error;
    // An overloaded gateway answers for its server. A refusal in modern words is no sign of an old
    // one.
    return isOrdinary(error) && error.code !== "rate_limited" && !isModernRefusal(error);
  }
}

// A server that is slow and one that is old look the same so far. The probe stays out: what comes
// of it may be late and still counts.
async function decideAfterSilence(
  init: HandshakeInit,
  probe: Promise<Answer>,
  giveUp: AbortController,
): Promise<Greeting> {
  const notWanted = new AbortController();
  const refusal = silenceError(init.context, init.probeMs);
  // In one channel the two would contradict each other: a server of both eras that reads
  // `initialize` last takes it for the end of the probe, unless it carries what every request of
  // 2026-07-28 does. To older servers that is a member to ignore.
  const meta = init.wire.hasPerRequestStream ? undefined : modernEnvelope(modernRevision, init.identity);
  const initializing = toAnswer(askInitialize(init, { refusal, meta, signal: notWanted.signal }));
  const first = await Promise.race([probe.then(() => "probe"), initializing.then(() => "initialize")]);
  if (first === "initialize") return decideByInitialize(init, await initializing, { probe, giveUp });
  const late = await probe;
  if (late.claimed !== undefined || endsTheSearch(late.refusal)) notWanted.abort();
  if (late.claimed !== undefined) return beginModern(init, late.claimed);
  if (endsTheSearch(late.refusal)) throw late.refusal;
  const isAnswer = isOrdinary(late.refusal);
  // Once the time is up nothing is tried any more.
  init.signal.throwIfAborted();
  if (!isAnswer) reportFallback(init.context, late.refusal);
  const { claimed, refusal: failure } = await initializing;
  if (claimed === undefined) throw failure;
  return beginLegacy(init, claimed, isAnswer);
}

// The two answers may come in either order, from a process that has just started on a busy machine.
const shortestWaitMs = 1000;

async function decideByInitialize(
  init: HandshakeInit,
  { claimed, refusal: failure }: Answer,
  { probe, giveUp }: { readonly probe: Promise<Answer>; readonly giveUp: AbortController },
): Promise<Greeting> {
  const { context, probeMs, timeoutMs } = init;
  if (claimed !== undefined) {
    giveUp.abort();
    reportGuess(context, claimed, probeMs);
    return beginLegacy(init, claimed, false);
  }
  if (isFinal(failure)) throw failure;
  // Whoever refuses `initialize` in the words of 2026-07-28 knows the probe, and answers it when it
  // comes to it.
  const waitMs = isModernRefusal(failure) ? timeoutMs : Math.max(probeMs, shortestWaitMs);
  const late = await resultWithin(probe, waitMs);
  giveUp.abort();
  if (late?.claimed !== undefined) return beginModern(init, late.claimed);
  throw late !== undefined && endsTheSearch(late.refusal) ? late.refusal : failure;
}

/** The answer to the probe, or to `initialize`. */
type Answer =
  | { readonly claimed: ClaimedServerInfo; readonly refusal?: undefined }
  | { readonly claimed?: undefined; readonly refusal: HostsideError };

async function discover(init: HandshakeInit, signal: AbortSignal): Promise<Answer> {
  const first = await discoverOnce(init, signal);
  // A server may refuse a revision and name the very same: what it did not like was something else,
  // and may have passed.
  return first.refusal?.details.supported?.includes(modernRevision) === true ? discoverOnce(init, signal) : first;
}

async function discoverOnce(init: HandshakeInit, signal: AbortSignal): Promise<Answer> {
  const params = { _meta: { ...carriedBy(init), ...modernEnvelope(modernRevision, init.identity) } };
  try {
    return { claimed: readDiscovered(await ask(init, "server/discover", { params, signal }), init.context) };
  } catch (error) {
    if (!isHostsideError(error)) throw error;
    return { refusal: error };
  }
}

async function askInitialize(
  init: HandshakeInit,
  { meta, ...asking }: Omit<Asking, "params"> & { readonly meta?: JsonObject | undefined } = {},
): Promise<ClaimedServerInfo> {
  const { info, capabilities } = init.identity;
  const carried = carriedBy(init);
  const params = {
    protocolVersion: latestLegacyRevision,
    capabilities,
    clientInfo: { ...info },
    ...((meta ?? carried) && { _meta: { ...carried, ...meta } }),
  };
  return readInitialized(await ask(init, "initialize", { params, ...asking }), init.context);
}

function carriedBy({ opening }: HandshakeInit): JsonObject | undefined {
  return opening && carriedMeta(opening);
}

async function toAnswer(asked: Promise<ClaimedServerInfo>): Promise<Answer> {
  try {
    return { claimed: await asked };
  } catch (error) {
    if (!isHostsideError(error)) throw error;
    return { refusal: error };
  }
}

function beginModern({ wire }: HandshakeInit, claimed: ClaimedServerInfo): Greeting {
  wire.setProtocolVersion(claimed.protocolVersion);
  return { claimed, isCertain: true };
}

async function beginLegacy(init: HandshakeInit, claimed: ClaimedServerInfo, isCertain: boolean): Promise<Greeting> {
  const { wire } = init;
  wire.setProtocolVersion(claimed.protocolVersion);
  const carried = carriedBy(init);
  const notified = wire.notify("notifications/initialized", carried && { _meta: carried });
  // In order, what comes next may leave in the same write; a process or a pipe that fails tells so
  // by itself.
  if (wire.isOrdered) notified.catch(() => undefined);
  else await notified;
  return { claimed, isCertain };
}

interface Asking {
  readonly params: JsonObject;
  /** Why the request before it did not do. */
  readonly refusal?: HostsideError | undefined;
  readonly signal?: AbortSignal | undefined;
}

function ask(
  { wire, timeoutMs, onStep }: HandshakeInit,
  method: HandshakeStep,
  { params, refusal, signal }: Asking,
): Promise<JsonObject> {
  onStep(method, refusal);
  return wire.request({ method, params, timeoutMs, timeoutCode: "request_timeout", isCancellable: false, signal });
}

// No `initialize` would change it.
function endsTheSearch(refusal: HostsideError): boolean {
  return isModernOffer(refusal) || isFinal(refusal);
}

// It speaks modern revisions alone: `initialize` would only hide that.
function isModernOffer({ details: { supported = [] } }: HostsideError): boolean {
  return supported.some(isModernVersion) && !supported.some((version) => legacyRevisions.includes(version));
}

// Request Timeout and Too Early: of the moment, and often of a gateway's.
const passingStatuses: ReadonlySet<number> = new Set([408, 425]);

// How servers from before the probe say that they do not know it: with an error or with nonsense.
function isOrdinary({ code, details }: HostsideError): boolean {
  const { httpStatus = 0, rpcCode } = details;
  const isNonsense = code === "handshake_failed" || code === "protocol_error" || code === "unsupported_protocol";
  const isRefused = httpStatus >= 400 && httpStatus < 500 && !passingStatuses.has(httpStatus);
  return rpcCode !== undefined || isNonsense || isRefused;
}

function notModern({ serverId }: ServerContext, refusal: HostsideError): HostsideError {
  return new HostsideError(
    `server ${JSON.stringify(serverId)} was asked for ${modernRevision} and nothing else, and does not speak it: ${refusal.rawMessage}`,
    { code: "unsupported_protocol", serverId, details: refusal.details, cause: refusal },
  );
}

function reportFallback({ serverId, onDiagnostic }: ServerContext, { code, rawMessage }: HostsideError): void {
  const message = `server ${JSON.stringify(serverId)}: server/discover failed with ${code}; trying initialize (${rawMessage})`;
  onDiagnostic({ kind: "fallback", serverId, message });
}

function silenceError({ serverId }: ServerContext, probeMs: number): HostsideError {
  const timeoutMs = Math.round(probeMs);
  return new HostsideError(`server ${JSON.stringify(serverId)} did not answer server/discover within ${timeoutMs} ms`, {
    code: "request_timeout",
    serverId,
    outcome: "not-sent",
    details: { operation: "server/discover", timeoutMs },
  });
}

function reportGuess({ serverId, onDiagnostic }: ServerContext, claimed: ClaimedServerInfo, probeMs: number): void {
  const message =
    `server ${JSON.stringify(serverId)} was silent to server/discover for ${Math.round(probeMs)} ms and then answered initialize: ` +
    `it is spoken to in ${claimed.protocolVersion}; setting its era says for certain what it speaks, and spares the wait`;
  onDiagnostic({ kind: "fallback", serverId, message });
}

/**
 * Reads the result of `initialize` leniently: a member of the wrong type that nobody needs, such as
 * the server's version, is left out. Throws `handshake_failed` without a revision or capabilities,
 * and `unsupported_protocol` for a revision that is not ours.
 */
export function readInitialized(result: JsonObject, context: ServerContext): ClaimedServerInfo {
  const { protocolVersion, capabilities, serverInfo, instructions } = result;
  if (typeof protocolVersion !== "string") throw malformed("initialize", "it names no protocol revision", context);
  if (!isJsonObject(capabilities)) throw malformed("initialize", "it names no capabilities", context);
  if (!legacyRevisions.includes(protocolVersion)) throw unsupported("initialize", [protocolVersion], context);
  return {
    era: "legacy",
    protocolVersion,
    implementation: serverInfo,
    instructions,
    capabilities: repairCapabilities(capabilities),
  };
}

/**
 * Reads the result of `server/discover` in the same way. A modern server names itself in `_meta`,
 * if at all. https://modelcontextprotocol.io/specification/2026-07-28/server/discover
 */
export function readDiscovered(result: JsonObject, context: ServerContext): ClaimedServerInfo {
  const { supportedVersions, capabilities, instructions, _meta: meta } = result;
  if (!Array.isArray(supportedVersions)) throw malformed("server/discover", "it names no revisions", context);
  if (!isJsonObject(capabilities)) throw malformed("server/discover", "it names no capabilities", context);
  const versions = supportedVersions.filter((version) => typeof version === "string");
  if (!versions.includes(modernRevision)) throw unsupported("server/discover", versions, context);
  return {
    era: "modern",
    protocolVersion: modernRevision,
    implementation: isJsonObject(meta) ? meta["io.modelcontextprotocol/serverInfo"] : undefined,
    instructions,
    capabilities: repairCapabilities(capabilities),
  };
}

const flags: ReadonlySet<string> = new Set(["listChanged", "subscribe"]);

function repairCapabilities(capabilities: JsonObject): JsonObject {
  const entries = Object.entries(capabilities).map(([name, value]) => [name, value === true ? {} : value] as const);
  const objects = entries.filter((entry): entry is readonly [string, JsonObject] => isJsonObject(entry[1]));
  // fromEntries defines properties, so that no name of the server's can be special.
  return Object.fromEntries(objects.map(([name, value]) => [name, withoutBadFlags(value)]));
}

function withoutBadFlags(capability: JsonObject): JsonObject {
  const good = Object.entries(capability).filter(([name, value]) => !flags.has(name) || typeof value === "boolean");
  return Object.fromEntries(good);
}

function malformed(method: string, fault: string, { serverId }: ServerContext): HostsideError {
  return new HostsideError(`server ${JSON.stringify(serverId)} answered ${method} with something malformed: ${fault}`, {
    code: "handshake_failed",
    serverId,
    details: { operation: method },
  });
}

function unsupported(method: string, versions: readonly string[], { serverId, redact }: ServerContext): HostsideError {
  const supported = versions.slice(0, 20).map((version) => safeExcerpt(version, redact, 40));
  return new HostsideError(
    `server ${JSON.stringify(serverId)} answered ${method} with no revision of this host's${describeOffer(supported)}`,
    { code: "unsupported_protocol", serverId, details: { operation: method, supported } },
  );
}
