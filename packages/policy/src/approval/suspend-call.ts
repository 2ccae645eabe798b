import { HostsideError, type ApprovalDenial, type JsonValue, type SuspendedCall, type ToolCall } from "@hostside/core";
import {
  canonicalJson,
  dateOf,
  quoteText,
  readVersioned,
  withoutApproval,
  writeVersioned,
  type ValueVersion,
} from "@hostside/core/implement";
import { hashJson } from "@hostside/naming";
import { bytesToHex } from "@noble/hashes/utils.js";
import type { PolicyParts } from "../policy-parts.ts";
import { effectOfDefinition, type EffectOf } from "../rules/tool-subject.ts";
import {
  bindDefinition,
  findMismatch,
  readToken,
  writeToken,
  type ApprovalGrant,
  type BoundCall,
} from "./approval-token.ts";
import type { CopiedArguments } from "./copy-arguments.ts";
import { lockKey } from "./lock-key.ts";
import { createSigner, type Signer } from "./sign.ts";

/** What is asked about a call that is to be suspended. */
export interface SuspendedQuestion {
  readonly hint: string;
  readonly why: string;
  readonly copied: CopiedArguments;
}

type UnsealedCall = Omit<SuspendedCall, "seal">;

/** What a token is good for. */
export type TokenLook = { readonly grant: ApprovalGrant } | { readonly denied: ApprovalDenial };

/** A call that a framework asks about. */
export interface QuestionOfFramework {
  /** The id that the model gave the call. */
  readonly callId: string;
  readonly call: ToolCall;
  readonly copied: CopiedArguments;
}

/** Suspends calls and lets each go on once. */
export interface Suspension {
  /** Notes that the call waits. Rejects as the store does. */
  suspend(call: ToolCall, question: SuspendedQuestion): Promise<SuspendedCall>;
  /**
   * Writes the token for a decision. Throws `approval_denied`: for a call that this policy did not
   * suspend, and for one that has expired.
   */
  decide(suspended: unknown, decision: ApprovalGrant["decision"]): string;
  /**
   * Notes that a framework asks about the call; whether it was not noted before. Rejects as the
   * store does.
   */
  note(question: QuestionOfFramework): Promise<boolean>;
  /**
   * Writes the token for what a person answered a framework. It is good where the very call was
   * noted.
   */
  answer(question: QuestionOfFramework, decision: "once" | "no"): string;
  /**
   * Whether a token is for this call, and still good. Uses nothing up, so that it may be used by
   * another one meanwhile. Rejects as the store does.
   */
  look(token: string, call: ToolCall, copied: CopiedArguments): Promise<TokenLook>;
  /**
   * Uses a token up: from then on no call goes on by it. Rejects as the store and the lock do; then
   * the call must not run.
   */
  useUp(grant: ApprovalGrant, call: ToolCall): Promise<TokenLook>;
}

/** What suspending is done with. */
export interface SuspensionInit {
  readonly keys: readonly Uint8Array[];
  readonly ttlMs: number;
  readonly parts: PolicyParts;
}

// To use a token up takes two turns of the store. Whoever took longer than half of the lease may be
// alone no more, whatever its own timers say.
const leaseMs = 10_000;
const mostUseMs = leaseMs / 2;
const waitingFormat: ValueVersion = { what: "suspended calls", version: 1 };

/** Makes the suspension of one policy. */
export function createSuspension({ keys, ttlMs, parts }: SuspensionInit): Suspension {
  const { clock, store, lock, effectOf = effectOfDefinition } = parts;
  const signer = createSigner(keys);
  const bind = (call: ToolCall, canonical: string): BoundCall => bindCall(call, { canonical, effectOf });
  const stateOf = async (key: string): Promise<unknown> => readVersioned(await store.get(key), waitingFormat);
  return {
    async suspend(call, { hint, why, copied }) {
      const { serverId, registration, toolName, fingerprint, definition, effect } = bind(call, copied.canonical);
      if (fingerprint === null && definition === null) throw new TypeError("its definition cannot be written as JSON");
      const suspendedAt = dateOf(clock);
      const id = bytesToHex(crypto.getRandomValues(new Uint8Array(16)));
      const suspended: UnsealedCall = {
        id,
        serverId,
        registration,
        toolName,
        localName: call.definition.name,
        fingerprint,
        definition,
        effect,
        args: copied.args,
        hint,
        why,
        context: withoutApproval(call.options.context) ?? {},
        suspendedAt,
        expiresAt: suspendedAt + ttlMs,
      };
      // What is not there does not wait: should the store lose it, the call is refused, and never
      // runs twice.
      await store.set(waitingKey(id), writeVersioned("waiting", waitingFormat), ttlMs);
      return { ...suspended, seal: signer.sign("call", sealedText(suspended)) };
    },
    decide(given, decision) {
      const suspended = readSuspended(given, signer);
      if (suspended === undefined) throw decisionError("is not as this policy suspended it", "forged");
      if (suspended.expiresAt <= dateOf(clock)) throw decisionError("has expired", "expired", suspended);
      const { id, expiresAt } = suspended;
      return writeToken(boundAs(suspended), { id, expiresAt, decision }, signer);
    },
    async note({ callId, call, copied }) {
      const key = waitingKey(idOfAsked(callId, bind(call, copied.canonical)));
      const isNew = (await stateOf(key)) !== "waiting";
      await store.set(key, writeVersioned("waiting", waitingFormat), ttlMs);
      return isNew;
    },
    answer({ callId, call, copied }, decision) {
      const bound = bind(call, copied.canonical);
      const asked = { hasPrincipal: bound.principal !== undefined };
      const expiresAt = dateOf(clock) + ttlMs;
      return writeToken(bound, { id: idOfAsked(callId, bound), expiresAt, decision, asked }, signer);
    },
    async look(token, call, { canonical }) {
      const grant = readToken(token, signer);
      if (grant === undefined) return { denied: "forged" };
      if (grant.expiresAt <= dateOf(clock)) return { denied: "expired" };
      const denied = findMismatch(grant, bind(call, canonical), signer);
      if (denied !== undefined) return { denied };
      const state = await stateOf(waitingKey(grant.id));
      if (state === "waiting") return { grant };
      return { denied: grant.asked !== undefined && state === undefined ? "unasked" : "used" };
    },
    async useUp(grant, call) {
      // It may have waited for its limits meanwhile.
      if (grant.expiresAt <= dateOf(clock)) return { denied: "expired" };
      return (await takeWaiting(grant.id, call.options.signal)) ? { grant } : { denied: "used" };
    },
  };

  async function takeWaiting(id: string, signal: AbortSignal | undefined): Promise<boolean> {
    const key = waitingKey(id);
    return lock.withLock(lockKey(key), leaseMs, async (lease, fencingToken) => {
      const startedAt = clock.now();
      if ((await stateOf(key)) !== "waiting") return false;
      // A call that is over must not use up what another one may go on with.
      signal?.throwIfAborted();
      lease.throwIfAborted();
      await store.set(key, writeVersioned("used", waitingFormat), ttlMs, fencingToken);
      if (!lease.aborted && clock.now() - startedAt < mostUseMs) return true;
      throw new HostsideError("the lock was held for too long to be sure that nobody else used the approval", {
        code: "aborted",
        outcome: "not-sent",
      });
    });
  }
}

function bindCall(
  { origin, definition, server, options }: ToolCall,
  { canonical, effectOf }: { readonly canonical: string; readonly effectOf: EffectOf },
): BoundCall {
  const { serverId, toolName } = origin;
  const { principal, conversation } = options.context ?? {};
  const effect = effectOf(definition, server);
  const { registration = null } = server ?? {};
  const bound = { serverId, registration, toolName, ...bindDefinition(definition) };
  return { ...bound, effect, canonical, principal, conversation };
}

function boundAs(suspended: SuspendedCall): BoundCall {
  const { principal, conversation } = suspended.context;
  return { ...suspended, canonical: canonicalJson(suspended.args), principal, conversation };
}

/** Another id for each call that differs in what an approval holds for. */
function idOfAsked(callId: string, bound: BoundCall): string {
  const { effect: _effect, principal = null, conversation = null, ...rest } = bound;
  return hashJson({ callId, ...rest, principal, conversation });
}

function waitingKey(id: string): string {
  return `hostside:approval:suspended:${id}`;
}

/**
 * A suspended call that came back from wherever it was kept; `undefined` for one that is not as it
 * was.
 */
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
