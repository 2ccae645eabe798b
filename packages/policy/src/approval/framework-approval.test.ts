import { applyInterceptors, createMemoryStore, type AskedCall, type CallContext, type Store } from "@hostside/core";
import { createPolicy, type Policy, type PolicyEvent, type PolicyOptions } from "@hostside/policy";
import { describe, expect, it } from "vitest";
import { answerOk, callOf, createStageWorld, rejectionOf } from "../../test/stage-world.ts";

const ada: CallContext = { principal: "ada", conversation: "42" };
const asked: AskedCall = { id: "1", definition: callOf({}).definition, args: { amount: 5, to: "bob" } };

function setUp(options: PolicyOptions = {}) {
  const { clock } = createStageWorld();
  const events: string[] = [];
  const onEvent = ({ type }: PolicyEvent): void => void events.push(type);
  const policy = createPolicy({
    approval: { mode: "all" },
    state: { store: createMemoryStore() },
    onEvent,
    ...options,
  });
  const ran: unknown[] = [];
  const call = (args: AskedCall["args"], approval: string | undefined, context = ada): Promise<unknown> =>
    applyInterceptors(
      policy.interceptors,
      (sent) => (ran.push(sent.args), answerOk(sent)),
    )(callOf({ args: args as { readonly amount: number }, options: { context: { ...context, approval } } }));
  return { clock, policy, events, ran, call };
}

const tokenOf = (policy: Policy, call: AskedCall = asked, context = ada): string | undefined =>
  policy.frameworkApproval(context).answer(call, "once");

describe("the approval by a framework", () => {
  it("is required where the policy asks and has no handler of its own", () => {
    const { policy } = setUp();
    expect(policy.frameworkApproval(ada).requires(asked.definition)).toBe(true);
    const handled = setUp({ approval: { mode: "all", handler: async () => "once" } }).policy;
    expect(handled.frameworkApproval(ada).requires(asked.definition)).toBe(false);
    expect(handled.requiresApproval(asked.definition)).toBe(true);
    const open = setUp({ approval: {} }).policy;
    expect(open.frameworkApproval(ada).requires(asked.definition)).toBe(false);
  });

  it("lets the very call run once, in whatever order its arguments are written", async () => {
    const { policy, events, ran, call } = setUp();
    await policy.frameworkApproval(ada).note(asked);
    await policy.frameworkApproval(ada).note(asked);
    await call({ to: "bob", amount: 5 }, tokenOf(policy));
    expect(events).toEqual(["approval-asked", "invoked", "approval-answered", "succeeded"]);
    expect(await rejectionOf(call(asked.args, tokenOf(policy)))).toMatchObject({ details: { denied: "used" } });
    expect(ran).toHaveLength(1);
    // A person is asked anew about a call with the same id.
    await policy.frameworkApproval(ada).note(asked);
    await call(asked.args, tokenOf(policy));
    expect(ran).toHaveLength(2);
  });

  it.each([
    ["another call of the model", { ...asked, id: "2" }, ada],
    ["other arguments", { ...asked, args: { amount: 6, to: "bob" } }, ada],
    ["another definition", { ...asked, definition: { ...asked.definition, description: "Does it all." } }, ada],
    ["another principal", asked, { ...ada, principal: "bob" }],
    ["nobody in particular", asked, { conversation: "42" }],
    ["another conversation", asked, { ...ada, conversation: "43" }],
  ] as const)("does not hold for %s", async (_what, other, context) => {
    const { policy, ran, call } = setUp();
    await policy.frameworkApproval(ada).note(asked);
    const error = await rejectionOf(call(other.args, tokenOf(policy, other, context), context));
    expect(error).toMatchObject({ code: "approval_denied", outcome: "not-sent" });
    expect(["unasked", "other-tool"]).toContain(error.details.denied);
    expect(await rejectionOf(call({ amount: 6, to: "bob" }, tokenOf(policy)))).toMatchObject({
      details: { denied: "other-arguments" },
    });
    expect(ran).toEqual([]);
  });

  it("is over after a day, or when a suspended call would be", async () => {
    const { clock, policy, call } = setUp();
    await policy.frameworkApproval(ada).note(asked);
    clock.advance(86_400_001);
    expect(await rejectionOf(call(asked.args, tokenOf(policy)))).toMatchObject({ details: { denied: "unasked" } });
    const suspend = { key: new Uint8Array(32).fill(7), ttlMs: 1000 };
    const short = setUp({ approval: { mode: "all", suspend } });
    await short.policy.frameworkApproval(ada).note(asked);
    const token = tokenOf(short.policy);
    short.clock.advance(1001);
    expect(await rejectionOf(short.call(asked.args, token))).toMatchObject({ details: { denied: "expired" } });
  });

  it("can be a no, which uses the question up", async () => {
    const { policy, events, ran, call } = setUp();
    const approval = policy.frameworkApproval(ada);
    await approval.note(asked);
    const no = approval.answer(asked, "no");
    expect(await rejectionOf(call(asked.args, no))).toMatchObject({ details: { denied: "rejected" } });
    expect(events).toEqual(["approval-asked", "invoked", "approval-answered", "refused", "failed"]);
    expect(await rejectionOf(call(asked.args, tokenOf(policy)))).toMatchObject({ details: { denied: "used" } });
    expect(ran).toEqual([]);
  });

  it("is refused, and nothing throws, while the store fails or the arguments are no JSON object", async () => {
    const broken: Store = {
      get: () => Promise.reject(new Error("down")),
      set: () => Promise.reject(new Error("down")),
      delete: () => Promise.reject(new Error("down")),
    };
    const { policy, events, ran, call } = setUp({ state: { store: broken } });
    await policy.frameworkApproval(ada).note(asked);
    expect(events).toEqual(["part-failed"]);
    expect(await rejectionOf(call(asked.args, tokenOf(policy)))).toMatchObject({ code: "call_refused" });
    await policy.frameworkApproval(ada).note({ ...asked, args: "all" });
    expect(tokenOf(policy, { ...asked, args: "all" })).toBeUndefined();
    expect(ran).toEqual([]);
  });
});
