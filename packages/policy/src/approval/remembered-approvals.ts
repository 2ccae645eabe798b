import { type JsonObject, type ToolEffect } from "@hostside/core";
import {
  clock,
  isJsonObject,
  isToolEffect,
  readVersioned,
  writeVersioned,
  type ValueVersion,
} from "@hostside/core/implement";
import { hashJson } from "@hostside/naming";
import { isWorseEffect } from "../effects/create-effects.ts";
import { type PolicyParts, callEvent, tellFailed } from "../refuse.ts";
import { dayMs } from "./approval-options.ts";
import { lockKey, type PendingApproval } from "./pending-call.ts";

/** For how long an answer is remembered. */
export type RememberedFor = "conversation" | "always";

/** A tool as a principal calls it. */
export interface ApprovalScope {
  readonly serverId: string;
  readonly toolName: string;
  readonly principal?: string | undefined;
  readonly conversation?: string | undefined;
}

/** A conversation of a principal. */
export interface ConversationScope {
  readonly conversation: string;
  readonly principal?: string | undefined;
}

/**
 * Answers that are remembered, for a tool that has the same registration and fingerprint and no
 * worse effect. A store that fails costs a question more, and never lets anything run.
 */
export interface RememberedApprovals {
  /** Tells whether an earlier answer holds for the call. */
  approves(pending: PendingApproval): Promise<boolean>;
  /** Keeps an answer to a call. */
  keep(kind: RememberedFor, pending: PendingApproval): Promise<void>;
  /** True if an answer to one call, remembered for `kind`, would hold for another one. */
  holdsFor(kind: RememberedFor, answered: PendingApproval, other: PendingApproval): boolean;
  /** Forgets all of a conversation, or one tool. Rejects as the store does. */
  forget(scope: ApprovalScope | ConversationScope): Promise<void>;
}

type Answers = readonly JsonObject[];

const leaseMs = 10_000;
// Of one tool, or of one conversation; the oldest go first.
const mostAnswers = { always: 8, conversation: 500 };
const format: ValueVersion = { what: "remembered approvals", version: 1 };

/** Makes them. One record has the answers for a tool, or all of a conversation. */
export function createRememberedApprovals(parts: PolicyParts): RememberedApprovals {
  const { store, lock } = parts;
  const read = async (key: string): Promise<Answers> => {
    const record = readVersioned(await store.get(key), format);
    return Array.isArray(record) ? record.filter(isJsonObject) : [];
  };
  const change = (kind: RememberedFor, key: string, work: (answers: Answers) => Answers): Promise<void> =>
    lock.withLock(lockKey(key), leaseMs, async (signal, fencingToken) => {
      const value = writeVersioned(work(await read(key)).slice(-mostAnswers[kind]), format);
      await store.set(key, value, kind === "always" ? undefined : dayMs, fencingToken);
      // Where no fencing token tells, what was written too late is reported.
      signal.throwIfAborted();
    });
  const guarded = async <T>({ call }: PendingApproval, work: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await work();
    } catch (error) {
      tellFailed(call, { part: "store", error }, parts);
      return undefined;
    }
  };
  const find = async (pending: PendingApproval): Promise<RememberedFor | undefined> => {
    const [scope, tool] = [scopeOf(pending), toolOf(pending)];
    if (tool === undefined) return undefined;
    for (const kind of ["always", "conversation"] as const) {
      if (kind === "conversation" && scope.conversation === undefined) continue;
      if ((await read(keyOf(kind, scope))).some((answer) => isFor(answer, tool))) return kind;
    }
    return undefined;
  };
  return {
    async approves(pending) {
      const decision = await guarded(pending, () => find(pending));
      if (decision === undefined) return false;
      const { call } = pending;
      parts.emit({ type: "approval-answered", ...callEvent(call, parts), decision, by: "memory" }, call);
      return true;
    },
    async keep(kind, pending) {
      const [scope, tool] = [scopeOf(pending), toolOf(pending)];
      // What no later call could be found by.
      if (tool === undefined || (kind === "conversation" && scope.conversation === undefined)) return;
      await guarded(pending, () =>
        change(kind, keyOf(kind, scope), (answers) => [
          ...answers.filter((one) => !(isAbout(one, tool) && one["registration"] === tool.registration)),
          { ...tool, at: clock.date() },
        ]),
      );
    },
    holdsFor(kind, answered, other) {
      const [given, wanted] = [toolOf(answered), toolOf(other)];
      const isSamePlace = keyOf(kind, scopeOf(answered)) === keyOf(kind, scopeOf(other));
      return isSamePlace && given !== undefined && wanted !== undefined && isFor({ ...given }, wanted);
    },
    async forget(scope) {
      // Whatever is there: to forget lets nothing run.
      if (!("toolName" in scope)) return void (await store.delete(keyOf("conversation", scope)));
      await store.delete(keyOf("always", scope));
      if (scope.conversation === undefined) return;
      const key = keyOf("conversation", scope);
      if ((await read(key)).some((one) => isAbout(one, scope)))
        await change("conversation", key, (answers) => answers.filter((one) => !isAbout(one, scope)));
    },
  };
}

interface RememberedTool {
  readonly serverId: string;
  readonly toolName: string;
  readonly registration: string | null;
  readonly fingerprint: string;
  readonly effect: ToolEffect;
}

function scopeOf({ call: { origin, options } }: PendingApproval): ApprovalScope {
  const { principal, conversation } = options.context ?? {};
  return { serverId: origin.serverId, toolName: origin.toolName, principal, conversation };
}

function toolOf({ call: { origin, definition, server }, effect }: PendingApproval): RememberedTool | undefined {
  const { fingerprint } = definition;
  if (fingerprint === undefined) return undefined;
  const { serverId, toolName } = origin;
  return { serverId, toolName, registration: server?.registration ?? null, fingerprint, effect };
}

function keyOf(kind: RememberedFor, scope: ApprovalScope | ConversationScope): string {
  const { serverId = "", toolName = "", principal, conversation }: Partial<ApprovalScope> = scope;
  const whose = kind === "always" ? [principal ?? null, serverId, toolName] : [principal ?? null, conversation ?? null];
  return `hostside:approval:${kind}:${hashJson(whose)}`;
}

function isAbout(answer: JsonObject, { serverId, toolName }: Pick<ApprovalScope, "serverId" | "toolName">): boolean {
  return answer["serverId"] === serverId && answer["toolName"] === toolName;
}

function isFor(answer: JsonObject, tool: RememberedTool): boolean {
  const { registration, fingerprint, effect } = tool;
  return (
    isAbout(answer, tool) &&
    answer["registration"] === registration &&
    answer["fingerprint"] === fingerprint &&
    isToolEffect(answer["effect"]) &&
    !isWorseEffect(effect, answer["effect"])
  );
}
