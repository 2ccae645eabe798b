import {
  HostsideError,
  type ErrorDetails,
  type JsonObject,
  type JsonValue,
  type Store,
  type SuspendedCall,
  type ToolCall,
  type ToolDefinition,
  type ToolEffect,
} from "@hostside/core";
import {
  clock,
  canonicalJson,
  isJsonObject,
  quoteText,
  readVersioned,
  withoutApproval,
  writeVersioned,
  type ValueVersion,
} from "@hostside/core/implement";
import { hashJson } from "@hostside/naming";
import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import { isWorseEffect } from "../effects/create-effects.ts";
import type { PolicyParts } from "../refuse.ts";
import { effectOfDefinition } from "../rules/tool-subject.ts";
import { hintFor, lockKey, type PendingApproval } from "./pending-call.ts";
import type { ConversationScope, RememberedFor } from "./remembered-approvals.ts";

/** Why an approval did not count. */
export type ApprovalDenial = NonNullable<ErrorDetails["denied"]>;

/** The grant of a token, or why it is denied. */
export type TokenLook = { readonly grant: ApprovalGrant } | { readonly denied: ApprovalDenial };

/** A call that a framework asks about. */
export interface QuestionOfFramework extends Pick<PendingApproval, "call" | "canonical"> {
  /** The id that the model gave the call. */
  readonly callId: string;
}

/** Calls that wait for an approval, and the tokens by which they go on. */
export interface Suspension {
  /** Has a call wait. Rejects when the store fails, or its definition cannot be written as JSON. */
  suspend(pending: PendingApproval): Promise<SuspendedCall>;
  /**
   * The token for a suspended call. Throws `approval_denied` for what was not suspended with one of
   * the keys, and for what has expired.
   */
  decide(suspended: unknown, decision: ApprovalGrant["decision"]): string;
  /**
   * Has a question of a framework wait; whether it did not before. Rejects when the store fails.
   */
  note(question: QuestionOfFramework): Promise<boolean>;
  /** The token for the answer to a question of a framework. */
  answer(question: QuestionOfFramework, decision: "once" | "no"): string;
  /** Looks whether a token is for this call, and was not used. Rejects when the store fails. */
  look(token: string, pending: Pick<PendingApproval, "call" | "canonical">): Promise<TokenLook>;
  /**
   * Uses a token up: resolves with the grant once, in all processes. Rejects when the store fails.
   */
  useUp(grant: ApprovalGrant, call: ToolCall): Promise<TokenLook>;
  /** Drops what waits in a conversation, in all processes. Rejects when the store fails. */
  forget(scope: ConversationScope): Promise<void>;
}

/** The parts of suspending. */
export interface SuspensionInit {
  /**
   * Default: one that this process alone has. The questions of a framework are answered in this
   * process.
   */
  readonly keys?: readonly Uint8Array[];
  readonly ttlMs: number;
  readonly parts: PolicyParts;
}

// To use a token up takes two turns of the store. After half of the lease, another process may
// have the lock, whatever the timers of this one say.
const leaseMs = 10_000;
const mostUseMs = leaseMs / 2;

// So that a mark is there for as long as anything that it counts for.
const spareMs = 60_000;

const waitingFormat: ValueVersion = { what: "suspended calls", version: 1 };

/** Makes the suspension of one policy. */
export function createSuspension({ keys, ttlMs, parts }: SuspensionInit): Suspension {
  const { store, lock } = parts;
  const signer = createSigner(keys);
  const bind = ({ call, canonical }: Pick<PendingApproval, "call" | "canonical">): BoundCall =>
    bindCall(call, canonical, parts);
  return {
    async suspend(pending) {
      const { call, args, why } = pending;
      const { canonical: _canonical, principal: _principal, conversation: _conversation, ...bound } = bind(pending);
      if (bound.fingerprint === null && bound.definition === null) {
        throw new TypeError("its definition cannot be written as JSON");
      }
      const suspendedAt = clock.date();
      const id = bytesToHex(crypto.getRandomValues(new Uint8Array(16)));
      const suspended: Omit<SuspendedCall, "seal"> = {
        id,
        ...bound,
        localName: call.definition.name,
        args,
        hint: hintFor(call.origin.toolName),
        why: why.why,
        context: withoutApproval(call.options.context) ?? {},
        suspendedAt,
        expiresAt: suspendedAt + ttlMs,
      };
      // Should the store lose it, the call is refused, and never runs twice.
      await setWaiting(waitingKey(id), call, { parts, ttlMs });
      return { ...suspended, seal: signer.sign("call", sealedText(suspended)) };
    },
    decide(given, decision) {
      const suspended = readSuspended(given, signer);
      if (suspended === undefined) throw decisionError("is not as this policy suspended it", "forged");
      if (suspended.expiresAt <= clock.date()) throw decisionError("has expired", "expired", suspended);
      const { id, expiresAt, context } = suspended;
      const { principal, conversation } = context;
      const bound = { ...suspended, canonical: canonicalJson(suspended.args), principal, conversation };
      return writeToken(bound, { id, expiresAt, decision }, signer);
    },
    async note(question) {
      const key = waitingKey(idOfAsked(question.callId, bind(question)));
      const isNew = (await stateOf(store, key)) !== "waiting";
      await setWaiting(key, question.call, { parts, ttlMs });
      return isNew;
    },
    answer(question, decision) {
      const bound = bind(question);
      const asked = { hasPrincipal: bound.principal !== undefined };
      const expiresAt = clock.date() + ttlMs;
      return writeToken(bound, { id: idOfAsked(question.callId, bound), expiresAt, decision, asked }, signer);
    },
    async look(token, pending) {
      const grant = readToken(token, signer);
      if (grant === undefined) return { denied: "forged" };
      if (grant.expiresAt <= clock.date()) return { denied: "expired" };
      const denied = findMismatch(grant, bind(pending), signer);
      if (denied !== undefined) return { denied };
      const state = await stateOf(store, waitingKey(grant.id));
      if (state === "waiting") return { grant };
      return { denied: grant.asked !== undefined && state === undefined ? "unasked" : "used" };
    },
    useUp(grant, { options: { signal } }) {
      const key = waitingKey(grant.id);
      return lock.withLock<TokenLook>(lockKey(key), leaseMs, async (lease, fencingToken) => {
        // It may have waited for its limits meanwhile.
        if (grant.expiresAt <= clock.date()) return { denied: "expired" };
        const startedAt = clock.now();
        if ((await stateOf(store, key)) !== "waiting") return { denied: "used" };
        // A call that is over must not use up what another one may go on with.
        signal?.throwIfAborted();
        lease.throwIfAborted();
        await store.set(key, writeVersioned("used", waitingFormat), ttlMs, fencingToken);
        if (!lease.aborted && clock.now() - startedAt < mostUseMs) return { grant };
        throw new HostsideError("the lock was held for too long to be sure that nobody else used the approval", {
          code: "aborted",
          outcome: "not-sent",
        });
      });
    },
    forget: (scope) => endConversation(scope, parts, ttlMs),
  };
}

/**
 * The record of a call that waits: its conversation, and how that ended last. A call of before a
 * later end waits no more.
 */
async function waitIn({ options }: ToolCall, { store }: PolicyParts, ttlMs: number): Promise<JsonObject> {
  const { principal, conversation } = options.context ?? {};
  if (conversation === undefined) return { scope: null, end: null };
  const scope = scopeHash(principal, conversation);
  // In this order: whoever ends the conversation after the second step sees the first one.
  await store.set(askedKey(scope), writeVersioned(true, waitingFormat), ttlMs + spareMs);
  return { scope, end: await endOf(store, scope) };
}

async function setWaiting(
  key: string,
  call: ToolCall,
  { parts, ttlMs }: Pick<SuspensionInit, "parts" | "ttlMs">,
): Promise<void> {
  await parts.store.set(key, writeVersioned(await waitIn(call, parts, ttlMs), waitingFormat), ttlMs);
}

async function endConversation(
  { principal, conversation }: ConversationScope,
  { store }: PolicyParts,
  ttlMs: number,
): Promise<void> {
  const scope = scopeHash(principal, conversation);
  // Most conversations ask nothing, and leave nothing behind.
  if (readVersioned(await store.get(askedKey(scope)), waitingFormat) === undefined) return;
  // It outlives all that waits.
  await store.set(endKey(scope), writeVersioned(crypto.randomUUID(), waitingFormat), ttlMs + spareMs);
}

async function stateOf(store: Store, key: string): Promise<"waiting" | "used" | undefined> {
  const kept = readVersioned(await store.get(key), waitingFormat);
  if (kept === "used") return kept;
  if (!isJsonObject(kept)) return undefined;
  const { scope, end } = kept;
  if (typeof scope !== "string") return "waiting";
  const current = await endOf(store, scope);
  return current === null || current === end ? "waiting" : undefined;
}

async function endOf(store: Store, scope: string): Promise<JsonValue> {
  return readVersioned(await store.get(endKey(scope)), waitingFormat) ?? null;
}

function scopeHash(principal: string | undefined, conversation: string): string {
  return hashJson([principal ?? null, conversation]);
}

function askedKey(scope: string): string {
  return `hostside:approval:asked:${scope}`;
}

function endKey(scope: string): string {
  return `hostside:approval:ended:${scope}`;
}

function bindCall(call: ToolCall, canonical: string, { effectOf = effectOfDefinition }: PolicyParts): BoundCall {
  const { origin, definition, server, options } = call;
  const { serverId, toolName } = origin;
  const { principal, conversation } = options.context ?? {};
  const { registration = null } = server ?? {};
  const effect = effectOf(definition, server);
  const bound = { ...bindDefinition(definition), effect, canonical };
  return { serverId, registration, toolName, ...bound, principal, conversation };
}

function idOfAsked(callId: string, bound: BoundCall): string {
  const { effect: _effect, principal = null, conversation = null, ...rest } = bound;
  return hashJson({ callId, ...rest, principal, conversation });
}

function waitingKey(id: string): string {
  return `hostside:approval:suspended:${id}`;
}

function readSuspended(given: unknown, signer: Signer): SuspendedCall | undefined {
  try {
    // A copy, so that what was looked at is what is used.
    const { seal, ...call } = JSON.parse(JSON.stringify(given)) as SuspendedCall;
    const isOurs = typeof seal === "string" && signer.isSigned("call", sealedText(call), seal);
    return isOurs ? { ...call, seal } : undefined;
  } catch {
    return undefined;
  }
}

function sealedText(call: object): string {
  return canonicalJson(JSON.parse(JSON.stringify(call)) as JsonValue);
}

function decisionError(problem: string, denied: ApprovalDenial, call?: SuspendedCall): HostsideError {
  const what = call === undefined ? "the suspended call" : `the suspended call of ${quoteText(call.toolName)}`;
  return new HostsideError(`${what} ${problem}`, {
    code: "approval_denied",
    serverId: call?.serverId || undefined,
    toolName: call?.toolName,
    outcome: "not-sent",
    details: { denied },
  });
}

/** The purpose of a signature: none of one kind passes for another. */
type SignedAs = "token" | "call" | "part";

type Signer = ReturnType<typeof createSigner>;

/** Makes what signs with the first of the keys, and believes all of them. */
function createSigner(given: readonly Uint8Array[] | undefined) {
  let keys = given;
  // Made for the first call that waits: cryptography takes longer to load than a policy to make.
  const macs = (as: SignedAs, text: string): readonly string[] =>
    (keys ??= [crypto.getRandomValues(new Uint8Array(32))]).map((key) =>
      bytesToHex(hmac(sha256, key, utf8ToBytes(`hostside-approval-${as}\n${text}`))),
    );
  return {
    sign: (as: SignedAs, text: string) => macs(as, text)[0] ?? "",
    isSigned: (as: SignedAs, text: string, signature: string) =>
      macs(as, text).filter((mac) => isSame(mac, signature)).length > 0,
  };
}

// Takes as long for every pair of texts of one length.
function isSame(a: string, b: string): boolean {
  if (a.length !== b.length) return false;
  let difference = 0;
  for (let at = 0; at < a.length; at += 1) difference |= a.charCodeAt(at) ^ b.charCodeAt(at);
  return difference === 0;
}

type Part = "tool" | "definition" | "args" | "caller";

/**
 * The grant of a token. It has a keyed hash of everything that a call must have in common with it,
 * so that a token shows nothing.
 */
export interface ApprovalGrant extends Readonly<Record<Part, string>> {
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
  readonly decision: "once" | RememberedFor | "no";
  /** Set where a framework asked: whether it named the principal of the call. */
  readonly asked?: { readonly hasPrincipal: boolean };
  readonly effect: ToolEffect;
}

/** A call as a token is bound to it. */
interface BoundCall {
  readonly serverId: string;
  readonly registration: string | null;
  readonly toolName: string;
  readonly fingerprint: string | null;
  readonly definition: string | null;
  readonly effect: ToolEffect;
  /** The canonical JSON of the arguments. */
  readonly canonical: string;
  readonly principal: string | undefined;
  readonly conversation: string | undefined;
}

const tokenForm = /^tpa_([\w-]{1,2000})\.([0-9a-f]{64})$/;

/** Writes a token for a call. */
function writeToken(
  call: BoundCall,
  terms: Pick<ApprovalGrant, "id" | "expiresAt" | "decision" | "asked">,
  signer: Signer,
): string {
  const parts = Object.entries(partsOf(call)).map(([part, text]) => [part, signer.sign("part", text)]);
  // ASCII only: ids, hashes and numbers.
  const json = JSON.stringify({ ...terms, effect: call.effect, ...Object.fromEntries(parts) });
  const text = btoa(json).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
  return `tpa_${text}.${signer.sign("token", text)}`;
}

/** Reads a token; `undefined` for one that was not written with one of the keys. */
function readToken(token: string, signer: Signer): ApprovalGrant | undefined {
  const [, text = "", signature = ""] = tokenForm.exec(token.slice(0, 4096)) ?? [];
  if (text === "" || !signer.isSigned("token", text, signature)) return undefined;
  // Written here: nobody else has the key.
  return JSON.parse(atob(text.replaceAll("-", "+").replaceAll("_", "/"))) as ApprovalGrant;
}

/** Why a grant is not for a call; `undefined` when it is. */
function findMismatch(grant: ApprovalGrant, call: BoundCall, signer: Signer): ApprovalDenial | undefined {
  if (call.fingerprint === null && call.definition === null) return "other-tool";
  // A framework that names no principal asks on behalf of the provider's, which is added to the
  // call later.
  const parts = partsOf(grant.asked?.hasPrincipal === false ? { ...call, principal: undefined } : call);
  const isPart = (part: Part): boolean => signer.isSigned("part", parts[part], grant[part]);
  if (!isPart("tool") || !isPart("definition") || isWorseEffect(call.effect, grant.effect)) return "other-tool";
  if (!isPart("args")) return "other-arguments";
  return isPart("caller") ? undefined : "other-caller";
}

// Each begins with its name, so that none can stand for another.
function partsOf(call: BoundCall): Readonly<Record<Part, string>> {
  const { principal = null, conversation = null } = call;
  return {
    tool: canonicalJson(["tool", call.serverId, call.registration, call.toolName]),
    definition: canonicalJson(["definition", call.fingerprint, call.definition]),
    args: `args ${call.canonical}`,
    caller: canonicalJson(["caller", principal, conversation]),
  };
}

/**
 * Binds a definition by its fingerprint; where it has none, a hash of all that a model is
 * shown of it but for its name. Neither for one that cannot be written as JSON, which is good for
 * no token.
 */
function bindDefinition(definition: ToolDefinition): Pick<BoundCall, "fingerprint" | "definition"> {
  const { fingerprint = null, title = null, description, inputSchema, outputSchema = null } = definition;
  if (fingerprint !== null) return { fingerprint, definition: null };
  try {
    const shown = { title, description, inputSchema, outputSchema, annotations: { ...definition.annotations } };
    return { fingerprint, definition: hashJson(shown) };
  } catch {
    return { fingerprint, definition: null };
  }
}
