import type { Clock, FencingToken, JsonObject, JsonValue, Lock, Store, ToolEffect } from "@hostside/core";
import {
  dateOf,
  isJsonObject,
  isToolEffect,
  readVersioned,
  writeVersioned,
  type ValueVersion,
} from "@hostside/core/implement";
import { hashJson } from "@hostside/naming";
import { LRUCache } from "lru-cache";
import { lockKey } from "./lock-key.ts";
import { isWorseEffect } from "../effects/worse-effect.ts";

/** For what an answer can be remembered. */
export type RememberedFor = "conversation" | "always";

/** What a remembered answer holds for. */
export interface ApprovalScope {
  readonly serverId: string;
  readonly toolName: string;
  readonly principal?: string | undefined;
  readonly conversation?: string | undefined;
}

/** All that was remembered for one conversation, whatever the tool. */
export interface ConversationScope {
  readonly conversation: string;
  readonly principal?: string | undefined;
}

/** The tool as it is now. */
export interface RememberedTool {
  /** That of its server: an answer holds for no other one under the same id. */
  readonly registration?: string | undefined;
  readonly fingerprint: string;
  readonly effect: ToolEffect;
}

/** Answers that hold for more than one call. */
export interface RememberedApprovals {
  /**
   * For how long an answer was remembered that holds for the tool as it is; `undefined` when there
   * is none. Rejects as the store does.
   */
  find(scope: ApprovalScope, tool: RememberedTool): Promise<RememberedFor | undefined>;
  /** Keeps an answer in place of one for another fingerprint. Rejects as the store does. */
  keep(kind: RememberedFor, scope: ApprovalScope, tool: RememberedTool): Promise<void>;
  /** Forgets what was remembered for this scope. Rejects as the store does. */
  forget(scope: ApprovalScope | ConversationScope): Promise<void>;
}

/** What remembered answers are kept with. */
export interface RememberedApprovalsInit {
  readonly store: Store;
  /** What makes a change to the list of a conversation's answers exclusive. */
  readonly lock: Lock;
  readonly clock: Clock;
  readonly conversationMs: number;
}

const leaseMs = 10_000;
const mostAnswers = 8;
const recordFormat: ValueVersion = { what: "remembered approvals", version: 1 };
const listFormat: ValueVersion = { what: "lists of remembered approvals", version: 1 };

/**
 * Remembers answers in a store. There is one record for each tool and kind, with an answer for each
 * of the latest registrations, so that there are no more than that, however often a server changes.
 */
export function createRememberedApprovals({
  store,
  lock,
  clock,
  conversationMs,
}: RememberedApprovalsInit): RememberedApprovals {
  const keyOf = createKeys();
  const readList = async (list: string): Promise<readonly string[]> =>
    readKeys(readVersioned(await store.get(list), listFormat));
  const readRecord = async (key: string): Promise<JsonValue | undefined> =>
    readVersioned(await store.get(key), recordFormat);
  const inTurn = (key: string, work: (fencingToken: FencingToken | undefined) => Promise<void>): Promise<void> =>
    lock.withLock(lockKey(key), leaseMs, async (signal, fencingToken) => {
      await work(fencingToken);
      // Where no fencing token tells, what was written too late is said to be.
      signal.throwIfAborted();
    });
  const forgetAll = async (scope: ConversationScope): Promise<void> => {
    const list = listKey(scope);
    // Most conversations have nothing to forget, and a lock of files leaves one for each key that
    // it was asked for.
    if ((await readList(list)).length === 0) return;
    await inTurn(list, async (fencingToken) => {
      for (const key of await readList(list)) await store.delete(key, fencingToken);
      await store.delete(list, fencingToken);
    });
  };
  return {
    async find(scope, tool) {
      for (const kind of kindsFor(scope)) {
        if (holdsFor(await readRecord(keyOf(kind, scope)), tool)) return kind;
      }
      return undefined;
    },
    async keep(kind, scope, { registration: given, fingerprint, effect }) {
      const registration = given ?? null;
      const answer = { registration, fingerprint, effect, at: dateOf(clock) };
      const withAnswer = (record: JsonValue | undefined): JsonValue => {
        const others = answersIn(record).filter((one) => one["registration"] !== registration);
        return writeVersioned([...others, answer].slice(-mostAnswers), recordFormat);
      };
      const key = keyOf(kind, scope);
      const { conversation, principal } = scope;
      if (kind === "always" || conversation === undefined) {
        return inTurn(key, async (fencingToken) => {
          // What a later version has kept there is not written over.
          await store.set(key, withAnswer(await readRecord(key)), undefined, fencingToken);
        });
      }
      const list = listKey({ conversation, principal });
      await inTurn(list, async (fencingToken) => {
        const record = withAnswer(await readRecord(key));
        const keys = await readList(list);
        // First, so that nothing is kept that is not on it.
        const all = [...keys.filter((one) => one !== key), key];
        await store.set(list, writeVersioned(all, listFormat), conversationMs, fencingToken);
        await store.set(key, record, conversationMs, fencingToken);
      });
    },
    async forget(scope) {
      if (!("toolName" in scope)) return forgetAll(scope);
      // Whatever is there: to forget lets nothing run.
      for (const kind of kindsFor(scope)) await store.delete(keyOf(kind, scope));
    },
  };
}

function kindsFor({ conversation }: ApprovalScope): readonly RememberedFor[] {
  return conversation === undefined ? ["always"] : ["always", "conversation"];
}

// A hash costs ten times as much as everything else here, and the same few tools are called again
// and again.
const keptKeys = 1000;

/**
 * Under which key an answer is kept. A hash, because names are as long as a server likes, and
 * because a principal is nobody's business.
 */
function createKeys(): (kind: RememberedFor, scope: ApprovalScope) => string {
  const keys = new LRUCache<string, string>({ max: keptKeys });
  return (kind, { serverId, toolName, principal = null, conversation = null }) => {
    const scope = kind === "always" ? [principal, serverId, toolName] : [principal, conversation, serverId, toolName];
    const text = JSON.stringify([kind, ...scope]);
    const known = keys.get(text);
    if (known !== undefined) return known;
    const key = `hostside:approval:${kind}:${hashJson(scope)}`;
    keys.set(text, key);
    return key;
  };
}

/** Where the keys of a conversation's answers are listed. */
function listKey({ principal, conversation }: ConversationScope): string {
  return `hostside:approvals:${hashJson([principal ?? null, conversation])}`;
}

function readKeys(list: unknown): readonly string[] {
  return Array.isArray(list) ? list.filter((key) => typeof key === "string") : [];
}

function answersIn(record: unknown): readonly JsonObject[] {
  return Array.isArray(record) ? record.filter(isJsonObject) : [];
}

function holdsFor(record: unknown, { registration, fingerprint, effect }: RememberedTool): boolean {
  return answersIn(record).some(
    (one) =>
      one["registration"] === (registration ?? null) &&
      one["fingerprint"] === fingerprint &&
      isToolEffect(one["effect"]) &&
      !isWorseEffect(effect, one["effect"]),
  );
}
