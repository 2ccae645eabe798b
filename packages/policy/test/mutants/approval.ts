import type { PolicyMutant } from "./policy-mutant.ts";

const test = "packages/policy/src/approval/approval.test.ts";
const tokens = "packages/policy/src/approval/suspended-calls.test.ts";
const asked = "packages/policy/src/approval/framework-approval.test.ts";
const races = "packages/policy/test/approval-races.test.ts";
const resumed = "packages/policy/test/resumed-calls.test.ts";
const provider = "packages/policy/test/approval-with-provider.test.ts";

/** Mistakes in the approval of calls. */
export const approvalMutants: readonly PolicyMutant[] = [
  {
    bug: "approves one definition and runs another: does not hold the call to what was shown",
    patches: [
      {
        file: "approval/approval.ts",
        find: "return isSame ? selected : undefined;",
        replace: "return isSame ? selected : definition;",
      },
    ],
    test: provider,
  },
  {
    bug: "sends the arguments of the caller, which may have changed since they were shown",
    patches: [
      {
        file: "approval/approval.ts",
        find: "args: pending.args, options:",
        replace: "options:",
      },
    ],
    test: provider,
  },
  {
    bug: "remembers an approval for the name of a tool, whatever the tool has become",
    patches: [
      {
        file: "approval/remembered-approvals.ts",
        find: 'answer["fingerprint"] === fingerprint &&',
        replace: 'fingerprint !== "" &&',
      },
    ],
    test,
  },
  {
    bug: "remembers an approval for the id of a server, whatever program it is now",
    patches: [
      {
        file: "approval/remembered-approvals.ts",
        find: 'answer["registration"] === registration &&',
        replace: "",
      },
    ],
    test,
  },
  {
    bug: "lets an approval hold for whoever asks",
    patches: [
      {
        file: "approval/remembered-approvals.ts",
        find: '"always" ? [principal ?? null, serverId, toolName]',
        replace: '"always" ? [serverId, toolName]',
      },
    ],
    test,
  },
  {
    bug: "takes the failure of a handler for a yes",
    patches: [
      {
        file: "approval/ask-about-call.ts",
        find: '    return { kind: "failed", error };',
        replace: '    return { kind: "answered", decision: "once" };',
      },
    ],
    test,
  },
  {
    bug: "lets a late yes run the call, because the deadline of the question is nobody's no",
    patches: [
      {
        file: "approval/ask-about-call.ts",
        find: 'settle({ kind: "late" })',
        replace: 'settle({ kind: "covered" })',
      },
    ],
    test,
  },
  {
    bug: "eats the time of the call while somebody is asked",
    patches: [
      {
        file: "approval/ask-about-call.ts",
        find: "call.options.deadline?.pause()",
        replace: "call.options.deadline && undefined",
      },
    ],
    test,
  },
  {
    bug: "compares arguments by a text that is not canonical",
    patches: [
      {
        file: "approval/suspend-call.ts",
        find: "args: `args ${call.canonical}`,",
        replace: "args: `args ${call.canonical.length}`,",
      },
    ],
    test: tokens,
  },
  {
    bug: "resumes a call for another principal",
    patches: [
      {
        file: "approval/suspend-call.ts",
        find: 'caller: canonicalJson(["caller", principal, conversation])',
        replace: 'caller: canonicalJson(["caller", conversation, principal === null])',
      },
    ],
    test: tokens,
  },
  {
    bug: "takes a call that a store has forgotten for one that was never resumed",
    patches: [
      {
        file: "approval/suspend-call.ts",
        find: 'if (state === "waiting") return { grant };',
        replace: 'if (state !== "used") return { grant };',
      },
      {
        file: "approval/suspend-call.ts",
        find: 'if ((await stateOf(store, key)) !== "waiting") return { denied: "used" };',
        replace: 'if ((await stateOf(store, key)) === "used") return { denied: "used" };',
      },
    ],
    test: tokens,
  },
  {
    bug: "uses a token up without the lock",
    patches: [
      {
        file: "approval/suspend-call.ts",
        find: "return lock.withLock<TokenLook>(lockKey(key), leaseMs, async (lease, fencingToken) => {",
        replace:
          "const work = async (use: (lease: AbortSignal) => Promise<TokenLook>) => use(new AbortController().signal);\n    const fencingToken = undefined;\n    return work(async (lease) => {",
      },
    ],
    test: races,
  },
  {
    bug: "resumes a call although the lock may have gone to another process",
    patches: [
      {
        file: "approval/suspend-call.ts",
        find: "!lease.aborted && clock.now() - startedAt < mostUseMs",
        replace: "startedAt >= 0 && mostUseMs > 0",
      },
    ],
    test: races,
  },
  {
    bug: "uses the token up after the call has run",
    patches: [
      {
        file: "approval/suspend-call.ts",
        find: 'await store.set(key, writeVersioned("used", waitingFormat), ttlMs, fencingToken);',
        replace:
          'void Promise.resolve().then(() => store.set(key, writeVersioned("used", waitingFormat), ttlMs, fencingToken));',
      },
    ],
    test: races,
  },
  {
    bug: "uses the token up before a limit or a breaker has let the call through",
    patches: [
      {
        file: "approval/approval.ts",
        find: "      const outcome = await stage(shown, async (sent) => {\n        await useUp();",
        replace: "      await useUp();\n      const outcome = await stage(shown, async (sent) => {",
      },
    ],
    test: resumed,
  },
  {
    bug: "sends what was found to wait a while ago, whoever was sooner meanwhile",
    patches: [
      {
        file: "approval/approval.ts",
        find: "        await useUp();\n        return next(sent);",
        replace: "        void useUp().catch(() => {});\n        return next(sent);",
      },
    ],
    test: races,
  },
  {
    bug: "leaves the token good when the cache has answered",
    patches: [
      {
        file: "approval/approval.ts",
        find: "      await useUp();\n      return outcome;",
        replace: "      return outcome;",
      },
    ],
    test: resumed,
  },
  {
    bug: "shows the token to events",
    patches: [
      {
        file: "refuse.ts",
        find: "context: withoutApproval(options.context)",
        replace: "context: options.context",
      },
    ],
    test: tokens,
  },
  {
    bug: "takes the approval of a framework for other arguments than those that were shown",
    patches: [
      {
        file: "approval/suspend-call.ts",
        find: "const { effect: _effect, principal = null,",
        replace: "const { effect: _effect, canonical: _canonical, principal = null,",
      },
    ],
    test: asked,
  },
  {
    bug: "takes the approval of a framework for a call that nobody was asked about",
    patches: [
      {
        file: "approval/suspend-call.ts",
        find: 'if (state === "waiting") return { grant };',
        replace: 'if (state === "waiting" || grant.asked !== undefined) return { grant };',
      },
    ],
    test: asked,
  },
  {
    bug: "has a framework ask although the policy asks by its own handler",
    patches: [
      {
        file: "approval/approval.ts",
        find: "settings.handler === undefined && why(",
        replace: "why(",
      },
    ],
    test: asked,
  },
];
