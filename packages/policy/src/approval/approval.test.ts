import type { ToolCall, ToolDefinition } from "@hostside/core";
import { describe, expect, it } from "vitest";
import { fingerprint, gated, setUp, type ApprovalSetup, type Handler } from "../../test/approval-setup.ts";
import { callOf, createStageWorld, rejectionOf, settle } from "../../test/stage-world.ts";
import type { ApprovalAnswer } from "./approval-options.ts";
import type { AskedByRules } from "./approval.ts";
import { toRejection } from "./pending-call.ts";

const never = new Promise<never>(() => {});

const approved = "is to be approved at each call by approval.mode";

describe("which calls somebody is asked about", () => {
  it("asks about none, about all, and about those that rules or their definition name, and says why", async () => {
    const deny: Handler = () => "no";
    const whyOf = async (approvals: ApprovalSetup, definition: Partial<ToolDefinition> = {}): Promise<unknown> => {
      await approvals.send(gated({}, definition)).catch(() => {});
      return approvals.questions[0]?.why;
    };
    expect(await whyOf(setUp(deny, { mode: "none" }))).toBeUndefined();
    expect(await whyOf(setUp(deny))).toBe(`${approved} ("all")`);
    expect(await whyOf(setUp(deny, { mode: { tools: "s/*" } }))).toBe(`${approved}.tools ("s/*")`);
    expect(await whyOf(setUp(deny, { mode: { tools: "mcp::s::*" } }))).toBe(`${approved}.tools ("mcp::s::*")`);
    expect(await whyOf(setUp(deny, { mode: { tools: { effect: "external" } } }))).toBeUndefined();
    const changes = { effect: ["idempotent-write", "external"] } as const;
    const changing = { tools: [{ server: "other" }, { ...changes, reason: "it may change something" }] };
    expect(await whyOf(setUp(deny, { mode: changing }), { effect: "external" })).toBe(
      `${approved}.tools[1] ({"effect":["idempotent-write","external"]}): it may change something`,
    );
    expect(await whyOf(setUp(deny, { mode: { tools: { server: "s", tool: ["e*"] } } }))).toBe(
      `${approved}.tools ({"server":"s","tool":["e*"]})`,
    );
    expect(await whyOf(setUp(deny, { mode: "none" }), { requireApproval: true })).toContain("definition");
    const asks: AskedByRules = ({ definition }) =>
      definition.name === "mcp_s_echo" ? { rule: "rules", why: "requireApproval[0] says so" } : undefined;
    expect(await whyOf(setUp(deny, { mode: "none" }, { asks }))).toBe("requireApproval[0] says so");
  });

  it("asks about a tool by its qualified name, with a slash in its own name, too", async () => {
    const { send, questions, ran } = setUp(() => "no", { mode: { tools: "mcp::repo::issues/get" } });
    await expect(send(callOf({ serverId: "repo", toolName: "issues/get" }))).rejects.toMatchObject({
      code: "approval_denied",
    });
    expect([questions.length, ran]).toEqual([1, []]);
  });

  it("says so for those who show it", () => {
    const { approval } = setUp(undefined, { mode: { tools: { tool: "echo" } } });
    const { definition, server } = callOf();
    expect(approval.requiresApproval(definition, server)).toBe(true);
    expect(approval.requiresApproval(callOf({ toolName: "other" }).definition)).toBe(false);
    expect(approval.why(callOf())).toEqual({
      rule: "approval.mode.tools",
      why: `${approved}.tools ({"tool":"echo"})`,
    });
  });

  it("hands on what nobody has to approve as it is", async () => {
    const { send, ran } = setUp(() => "no", { mode: "none" });
    const call = gated();
    await send(call);
    expect(ran[0]?.args).toBe(call.args);
  });
});

describe("a question", () => {
  it("has what will be sent, as a copy that nobody can change, and what runs is that", async () => {
    const args = { z: [1, { b: 2, a: undefined }], a: new Date(0) as unknown as string };
    let answer: (decision: ApprovalAnswer) => void = () => {};
    const { send, questions, ran } = setUp(() => new Promise((resolve) => (answer = resolve)));
    const context = { principal: "ada", conversation: "c1" };
    const call = { ...gated({ context }), args };
    const sent = send(call);
    await settle();
    args.z.push(9);
    answer("once");
    await sent;
    const [question] = questions;
    expect(question).toMatchObject({
      tool: call.origin,
      args: { a: "1970-01-01T00:00:00.000Z", z: [1, { b: 2 }] },
      effect: "idempotent-write",
      hint: "Approve execution of tool `echo`?",
      answers: ["once", "conversation", "always", "no"],
      context,
      timeoutMs: 300_000,
    });
    expect(question?.definition).toBe(call.definition);
    expect(Object.isFrozen(question) && Object.isFrozen(question?.args["z"])).toBe(true);
    expect(ran[0]?.args).toBe(question?.args);
    expect(ran[0]?.options.selected).toBe(call.definition);
  });

  it("shows no name that could pass for more than a name", async () => {
    const { send, questions } = setUp(() => "no");
    await send(callOf({ toolName: "x`\n\u202Eapproved` " })).catch(() => {});
    expect(questions[0]?.hint).toBe("Approve execution of tool `x'\\u{a}\\u{202e}approved' `?");
  });

  it("is not asked about arguments that cannot be shown: invalid_arguments", async () => {
    const { send, questions, ran } = setUp(() => "once");
    const loop: Record<string, unknown> = {};
    loop["loop"] = loop;
    expect(await rejectionOf(send({ ...gated(), args: loop as ToolCall["args"] }))).toMatchObject({
      code: "invalid_arguments",
    });
    expect([questions.length, ran.length]).toEqual([0, 0]);
  });

  it("is not asked when the caller selected another definition: tool_changed", async () => {
    const { send, questions, ran } = setUp(() => "once");
    const selected = { ...gated().definition, fingerprint: "sha256-02", description: "Another one." };
    expect(await rejectionOf(send(gated({ selected })))).toMatchObject({ code: "tool_changed" });
    expect([questions.length, ran.length]).toEqual([0, 0]);
  });

  it("holds the call to what the caller selected when that reads the same and is the provider's own", async () => {
    const { send, ran } = setUp(() => "once");
    const own = gated().definition;
    const { fingerprint: _fingerprint, ...copy } = own;
    await send(gated({ selected: own }));
    const call = gated({ selected: copy });
    await send(call);
    expect(ran.map(({ options }) => options.selected)).toEqual([own, call.definition]);
    expect(ran[0]?.options.selected).toBe(own);
    expect(ran[1]?.options.selected).toBe(call.definition);
  });

  it("does not use up the time of the call, and has a time of its own", async () => {
    const { world, send, ran } = setUp(() => never, { timeoutMs: 60_000 });
    const refused = rejectionOf(send(gated({ timeoutMs: 1000 })));
    await settle();
    world.clock.advance(59_999);
    expect(ran).toEqual([]);
    world.clock.advance(1);
    expect(await refused).toMatchObject({ code: "approval_denied", details: { denied: "unanswered" } });
    expect(world.events.find(({ type }) => type === "part-failed")).toMatchObject({ part: "approval.handler" });
    expect(world.clock.pending).toBe(0);
  });

  it("lets an approved call have all of its time", async () => {
    let answer: (decision: ApprovalAnswer) => void = () => {};
    const { world, send, ran } = setUp(() => new Promise((resolve) => (answer = resolve)));
    const sent = send(gated({ timeoutMs: 1000 }));
    await settle();
    world.clock.advance(200_000);
    answer("once");
    await sent;
    expect(ran[0]?.options.deadline?.remainingMs()).toBe(1000);
  });

  it("is withdrawn when the call is aborted, and a late yes runs nothing", async () => {
    let answer: (decision: ApprovalAnswer) => void = () => {};
    const { world, send, questions, ran } = setUp(() => new Promise((resolve) => (answer = resolve)));
    const abort = new AbortController();
    const aborted = rejectionOf(send(gated({ signal: abort.signal })));
    await settle();
    expect(questions[0]?.signal.aborted).toBe(false);
    abort.abort();
    expect(questions[0]?.signal.aborted).toBe(true);
    answer("always");
    await settle();
    expect(await aborted).toMatchObject({ code: "aborted", outcome: "not-sent" });
    expect([ran.length, world.clock.pending]).toEqual([0, 0]);
    const next = setUp(() => "no", {}, { world });
    await next.send(gated()).catch(() => {});
    expect(next.questions).toHaveLength(1);
  });

  const rubbish: readonly (readonly [string, Handler, RegExp])[] = [
    [
      "throws",
      () => {
        throw new Error("no screen");
      },
      /whoever should ask for an approval failed$/,
    ],
    ["rejects", () => Promise.reject(new Error("no screen")), /whoever should ask for an approval failed$/],
    ["answers true", () => true as never, /handler answered something else, and not "once", "always", "no"$/],
    ["answers nothing", () => undefined as never, /handler answered something else, and not/],
    ["answers a word that is none", () => "yes" as never, /handler answered "yes", and not/],
    ["answers a sentence", () => "no, my PIN is 4711-0815" as never, /handler answered something else, and not/],
    ["answers a name of every object", () => "toString" as never, /handler answered "toString", and not/],
    [
      "answers a reason that is no text",
      () => ({ decision: "once", reason: 1 }) as never,
      /handler answered "once", and not/,
    ],
    ["answers a decision that is none", () => ({ decision: "yes" }) as never, /handler answered "yes", and not/],
    ["suspends where nothing is suspended", () => "suspend", /answered "suspend", and not/],
  ];
  it.each(rubbish)("that a handler %s refuses the call: call_refused", async (_, handler, message) => {
    const { world, send, ran } = setUp(handler);
    const error = await rejectionOf(send(gated()));
    expect(error).toMatchObject({ code: "call_refused", outcome: "not-sent" });
    expect(error.message).toMatch(message);
    expect(world.eventTypes()).toEqual(["approval-asked", "part-failed", "refused"]);
    expect(ran).toEqual([]);
  });

  it("is not asked by nobody: approval_required", async () => {
    const { world, send, ran } = setUp(undefined);
    const error = await rejectionOf(send(gated()));
    expect(error).toMatchObject({
      code: "approval_required",
      outcome: "not-sent",
      details: { policy: "approval.mode" },
    });
    expect(error.details.approval).toBeUndefined();
    expect([world.eventTypes(), ran.length]).toEqual([["refused"], 0]);
  });

  it("that nobody could be asked about is refused as without a handler, with the handler's reason: approval_required", async () => {
    const { send, ran } = setUp(() => ({ decision: "none", reason: "the user is\u001B[31m away" }));
    const error = await rejectionOf(send(gated()));
    expect(error).toMatchObject({ code: "approval_required", outcome: "not-sent" });
    expect(error.message).toMatch(/needs an approval \(.*\), and nobody can be asked: the user is away$/);
    expect(error.details.denied).toBeUndefined();
    expect(ran).toHaveLength(0);
  });

  it("that is answered with no refuses the call in the human's words: approval_denied", async () => {
    const { world, send, ran } = setUp(() => ({ decision: "no", reason: "not on a\u001B[31m Friday" }));
    const error = await rejectionOf(send(gated()));
    expect(error).toMatchObject({ code: "approval_denied", details: { denied: "rejected" } });
    expect(error.message).toBe('[approval_denied] call of "echo" on "s" was rejected by the user: not on a Friday');
    expect(toRejection(error)).toEqual({ error: "tool call was rejected by the user" });
    expect(toRejection(new Error("x"))).toBeUndefined();
    expect(world.events[1]).toMatchObject({ type: "approval-answered", decision: "no", by: "human" });
    expect(ran).toEqual([]);
  });

  it("is one of 25 of its principal at most, and one of 100 in all: overloaded", async () => {
    const { send, questions } = setUp(() => never);
    const ask = async (principal: string, count: number): Promise<void> => {
      for (let at = 0; at < count; at += 1) void send(gated({ context: { principal } })).catch(() => {});
      await settle();
    };
    await ask("ada", 25);
    const error = await rejectionOf(send(gated({ context: { principal: "ada" } })));
    expect(error).toMatchObject({ code: "overloaded", details: { policy: "approval" } });
    expect(error.message).toContain("25 questions of the same principal are open already");
    for (const principal of ["bob", "cid", "dan"]) await ask(principal, 25);
    expect(questions).toHaveLength(100);
    expect((await rejectionOf(send(gated()))).message).toContain("100 questions are open already");
  });
});

describe("an answer", () => {
  const principal = "ada";
  const here = { context: { principal, conversation: "c1" } };

  /** How many questions a second call costs after the first one was answered. */
  async function askedAgain(answer: ApprovalAnswer, first: ToolCall, second: ToolCall): Promise<boolean> {
    const { send, questions } = setUp(() => answer);
    await send(first);
    await send(second);
    return questions.length === 2;
  }

  it('"once" counts for one call', async () => {
    expect(await askedAgain("once", gated(here), gated(here))).toBe(true);
  });

  it('"conversation" counts for this tool, conversation, principal and fingerprint, with no worse effect', async () => {
    const again = (second: ToolCall): Promise<boolean> => askedAgain("conversation", gated(here), second);
    expect(await again({ ...gated(here), args: { other: 1 } })).toBe(false);
    expect(await again(gated(here, { effect: "pure" }))).toBe(false);
    expect(await again(gated({ context: { principal, conversation: "c2" } }))).toBe(true);
    expect(await again(gated({ context: { principal: "bob", conversation: "c1" } }))).toBe(true);
    expect(await again(gated({ context: { principal } }))).toBe(true);
    expect(await again(gated(here, { fingerprint: "sha256-02" }))).toBe(true);
    expect(await again(gated(here, { effect: "external" }))).toBe(true);
    expect(await again(callOf({ toolName: "other", options: here, definition: { fingerprint } }))).toBe(true);
  });

  it('"conversation" ends with its time', async () => {
    const { world, send, questions } = setUp(() => "conversation");
    await send(gated(here));
    world.clock.advance(86_399_999);
    await send(gated(here));
    expect(questions).toHaveLength(1);
    world.clock.advance(1);
    await send(gated(here));
    expect(questions).toHaveLength(2);
  });

  it('"always" counts for this principal, server, tool and fingerprint, in every conversation', async () => {
    const again = (second: ToolCall): Promise<boolean> => askedAgain("always", gated(here), second);
    expect(await again(gated({ context: { principal, conversation: "c2" } }))).toBe(false);
    expect(await again(gated({ context: { principal: "bob" } }))).toBe(true);
    expect(await again(gated())).toBe(true);
    expect(await again(gated(here, { fingerprint: "sha256-02" }))).toBe(true);
    expect(await again(gated(here, { fingerprint: undefined }))).toBe(true);
    expect(await again(gated(here, { effect: "non-idempotent-write" }))).toBe(true);
    const elsewhere = callOf({ serverId: "s2", options: here, definition: { fingerprint, effect: "pure" } });
    expect(await again(elsewhere)).toBe(true);
  });

  it('"always" counts for one registration of a server', async () => {
    const registered = (registration: string): ToolCall => {
      const call = gated(here);
      return { ...call, server: { id: "s", labels: {}, registration } };
    };
    expect(await askedAgain("always", registered("a"), registered("a"))).toBe(false);
    expect(await askedAgain("always", registered("a"), registered("b"))).toBe(true);
  });

  it('"always" of a tool without a fingerprint counts once, and says so', async () => {
    const plain = gated(here, { fingerprint: undefined });
    expect(await askedAgain("always", plain, plain)).toBe(true);
    expect(await askedAgain("conversation", gated({ context: { principal } }), gated({ context: { principal } }))).toBe(
      true,
    );
    const { world, send, questions } = setUp(() => "always");
    await send(plain);
    expect(questions[0]?.answers).toEqual(["once", "no"]);
    expect(world.events[1]).toMatchObject({
      type: "approval-answered",
      decision: "once",
      reason: '"always" counts once: the tool has no fingerprint',
    });
  });

  it("that was remembered holds in another process, until it is forgotten", async () => {
    const world = createStageWorld();
    await setUp(() => "always", {}, { world }).send(gated(here));
    const other = setUp(() => "no", {}, { world });
    await other.send(gated(here));
    expect(other.questions).toHaveLength(0);
    expect(world.events.at(-1)).toMatchObject({ type: "approval-answered", decision: "always", by: "memory" });
    await other.approval.forget({ serverId: "s", toolName: "echo", principal });
    expect(await rejectionOf(other.send(gated(here)))).toMatchObject({ code: "approval_denied" });
  });

  it("is forgotten with its conversation, whatever the tools and the process, and nothing else with it", async () => {
    const world = createStageWorld();
    const first = setUp(() => "conversation", {}, { world });
    const calls = [
      gated(here),
      { ...gated(here), args: { other: true } },
      gated({ context: { principal, conversation: "c2" } }),
    ];
    for (const call of calls) await first.send(call);
    const other = setUp(() => "no", {}, { world });
    await other.approval.forget({ conversation: "c1", principal: "bob" });
    for (const call of calls) await other.send(call);
    await other.approval.forget({ conversation: "c1", principal });
    expect(await rejectionOf(other.send(gated(here)))).toMatchObject({ code: "approval_denied" });
    await other.send(gated({ context: { principal, conversation: "c2" } }));
    expect(other.questions).toHaveLength(1);
  });

  it("settles the open questions that it holds for, and no other", async () => {
    const answers: ((decision: ApprovalAnswer) => void)[] = [];
    const { send, questions, ran } = setUp(() => new Promise((resolve) => void answers.push(resolve)));
    const calls = [
      send({ ...gated(here), args: { call: 0 } }),
      send({ ...gated(here), args: { call: 1 } }),
      send({ ...gated({ context: { principal: "bob", conversation: "c1" } }), args: { call: 2 } }),
    ];
    await settle();
    expect(questions).toHaveLength(3);
    answers[0]?.("once");
    await settle();
    expect(ran.map(({ args }) => args)).toEqual([{ call: 0 }]);
    const late = send({ ...gated(here), args: { call: 3 } });
    await settle();
    answers[3]?.("always");
    await settle();
    expect(new Set(ran.map(({ args }) => args["call"]))).toEqual(new Set([0, 1, 3]));
    expect(questions.map(({ signal }) => signal.aborted)).toEqual([false, true, false, false]);
    answers[2]?.("no");
    await Promise.allSettled([...calls, late]);
    expect(ran).toHaveLength(3);
  });

  it("counts although the store fails, once, and a store that fails answers nothing", async () => {
    const world = createStageWorld();
    const store = {
      ...world.parts.store,
      get: () => Promise.reject(new Error("down")),
      set: () => Promise.reject(new Error("down")),
    };
    const broken = { ...world, parts: { ...world.parts, store } };
    const { send, questions, ran } = setUp(() => "always", {}, { world: broken });
    await send(gated(here));
    await send(gated(here));
    expect([questions.length, ran.length]).toEqual([2, 2]);
    expect(world.events.filter(({ type }) => type === "part-failed")).toHaveLength(4);
  });

  it("tells nothing of the arguments and no words in events", async () => {
    const { world, send } = setUp(() => ({ decision: "once", reason: "hunter2" }));
    await send({ ...gated({ context: { principal, approval: undefined } }), args: { password: "hunter2" } });
    expect(world.eventTypes()).toEqual(["approval-asked", "approval-answered"]);
    expect(JSON.stringify(world.events)).not.toContain("hunter2");
  });
});
