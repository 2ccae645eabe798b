import { asksBy } from "../../test/approval-setup.ts";
import type { CallContext, CallHandler, SuspendedCall, ToolCall, ToolDefinition } from "@hostside/core";
import { describe, expect, it } from "vitest";
import { answerOk, callOf, createStageWorld, rejectionOf, settle, type StageWorld } from "../../test/stage-world.ts";
import type { ApprovalOptions } from "./approval-options.ts";
import { lockKey, toConfirmationRequest, toRejection } from "./pending-call.ts";
import { createApproval, type Approval } from "./approval.ts";

const key = new Uint8Array(32).fill(7);
const definition = { fingerprint: "sha256-01", effect: "idempotent-write" } as const;
const context: CallContext = { principal: "ada", conversation: "c1", correlationId: "r1" };

interface Process {
  readonly approval: Approval;
  /** Arguments of the calls that ran. */
  readonly ran: ToolCall[];
  readonly send: (call: ToolCall) => Promise<unknown>;
}

/** One of the processes that share a store. */
function startProcess(world: StageWorld, more: Partial<ApprovalOptions> = {}): Process {
  const approval = createApproval({ suspend: { key }, ...more }, world.parts, asksBy(more.mode));
  const layers = [approval.around((call, next) => next(call))];
  const ran: ToolCall[] = [];
  const run: CallHandler = (call) => {
    ran.push(call);
    return answerOk(call);
  };
  return { approval, ran, send: (call) => world.send(call, layers, run) };
}

interface Change {
  readonly args?: ToolCall["args"];
  readonly context?: CallContext;
  readonly definition?: Partial<ToolDefinition>;
  readonly serverId?: string;
  readonly toolName?: string;
}

function gated(change: Change = {}, approval?: string): ToolCall {
  const { args = { b: 1, a: 2 }, context: who = context, definition: changed, ...rest } = change;
  const options = { context: { ...who, ...(approval !== undefined && { approval }) } };
  return callOf({ ...rest, args, options, definition: { ...definition, ...changed } });
}

async function suspend(process: Process, call = gated()): Promise<SuspendedCall> {
  const { code, details } = await rejectionOf(process.send(call));
  if (code !== "approval_required" || details.approval === undefined) throw new Error("it was not suspended");
  return details.approval;
}

describe("a suspended call", () => {
  it("is plain JSON with all that has to be known, and shows as an ADK shows it", async () => {
    const world = createStageWorld();
    const suspended = await suspend(startProcess(world), gated({}, undefined));
    expect(JSON.parse(JSON.stringify(suspended))).toEqual(suspended);
    expect(suspended).toMatchObject({
      serverId: "s",
      toolName: "echo",
      localName: "mcp_s_echo",
      fingerprint: "sha256-01",
      definition: null,
      effect: "idempotent-write",
      args: { a: 2, b: 1 },
      hint: "Approve execution of tool `echo`?",
      why: 'is to be approved at each call by approval.mode ("all")',
      context,
    });
    expect(suspended.expiresAt - suspended.suspendedAt).toBe(86_400_000);
    const shown = {
      originalFunctionCall: { id: "call-1", name: "mcp_s_echo", args: { a: 2, b: 1 } },
      toolConfirmation: { hint: suspended.hint, confirmed: false },
    };
    expect(toConfirmationRequest(suspended, "call-1")).toEqual(shown);
    expect(toConfirmationRequest(suspended).originalFunctionCall.id).toBe(suspended.id);
    expect(world.events.map((event) => ["id" in event && event.id, event.type])).toEqual([
      [suspended.id, "approval-suspended"],
      [false, "refused"],
    ]);
  });

  it("goes on once with its token, in any process that shares key and store", async () => {
    const world = createStageWorld();
    const kept = JSON.stringify(await suspend(startProcess(world)));
    const token = startProcess(world).approval.approve(JSON.parse(kept));
    const last = startProcess(world);
    // The order of members is not what was approved.
    await last.send(gated({ args: { a: 2, b: 1 } }, token));
    expect(last.ran[0]?.options.context).toEqual(context);
    expect(last.ran[0]?.args).toEqual({ a: 2, b: 1 });
    for (const process of [last, startProcess(world)]) {
      expect(await rejectionOf(process.send(gated({}, token)))).toMatchObject({
        code: "approval_denied",
        outcome: "not-sent",
        details: { denied: "used" },
      });
      expect(process.ran.length).toBe(process === last ? 1 : 0);
    }
    expect(JSON.stringify(world.events)).not.toContain(token.slice(0, 40));
    expect(world.eventTypes()).toEqual(["approval-suspended", "refused", "approval-resumed", "refused", "refused"]);
  });

  it("goes on once, however many tokens were written for it, and not after one that rejects", async () => {
    const world = createStageWorld();
    const process = startProcess(world);
    const { approval, ran, send } = process;
    const twice = await suspend(process);
    const tokens = [approval.approve(twice), approval.approve(twice, { remember: "conversation" })];
    await send(gated({}, tokens[0]));
    expect(await rejectionOf(send(gated({}, tokens[1])))).toMatchObject({ details: { denied: "used" } });
    const rejected = await suspend(process);
    const error = await rejectionOf(send(gated({}, approval.reject(rejected))));
    expect(error).toMatchObject({ code: "approval_denied", details: { denied: "rejected" } });
    expect(toRejection(error)).toEqual({ error: "tool call was rejected by the user" });
    const late = approval.approve(rejected);
    expect(await rejectionOf(send(gated({}, late)))).toMatchObject({ details: { denied: "used" } });
    expect(ran).toHaveLength(1);
  });

  const others: readonly (readonly [string, Change, string])[] = [
    ["other arguments", { args: { b: 1, a: 3 } }, "other-arguments"],
    ["one argument more", { args: { b: 1, a: 2, c: null } }, "other-arguments"],
    ["a changed tool", { definition: { fingerprint: "sha256-02" } }, "other-tool"],
    ["a tool without a fingerprint", { definition: { fingerprint: undefined } }, "other-tool"],
    ["a worse effect", { definition: { effect: "external" } }, "other-tool"],
    ["another tool", { toolName: "other" }, "other-tool"],
    ["another server", { serverId: "s2" }, "other-tool"],
    ["another principal", { context: { ...context, principal: "bob" } }, "other-caller"],
    ["no principal", { context: { conversation: "c1" } }, "other-caller"],
    ["another conversation", { context: { ...context, conversation: "c2" } }, "other-caller"],
  ];
  it.each(others)("does not go on with %s: approval_denied; and still goes on as it was", async (_, change, denied) => {
    const world = createStageWorld();
    const process = startProcess(world);
    const token = process.approval.approve(await suspend(process));
    expect(await rejectionOf(process.send(gated(change, token)))).toMatchObject({
      code: "approval_denied",
      details: { denied },
    });
    expect(process.ran).toEqual([]);
    await process.send(gated({ context: { ...context, correlationId: "r2" } }, token));
    expect(process.ran).toHaveLength(1);
  });

  it("does not go on after its time, nor can it be approved then: expired", async () => {
    const world = createStageWorld();
    const process = startProcess(world, { suspend: { key, ttlMs: 1000 } });
    const suspended = await suspend(process);
    world.clock.advance(999);
    const token = process.approval.approve(suspended);
    world.clock.advance(1);
    expect(await rejectionOf(process.send(gated({}, token)))).toMatchObject({ details: { denied: "expired" } });
    expect(() => process.approval.approve(suspended)).toThrow(
      expect.objectContaining({ code: "approval_denied", details: { denied: "expired" } }),
    );
    expect(process.ran).toEqual([]);
  });

  it("is approved by no other key, and goes on with no token that was touched: forged", async () => {
    const world = createStageWorld();
    const process = startProcess(world);
    const stranger = startProcess(world, { suspend: { key: key.map((byte) => byte + 1) } });
    const suspended = await suspend(process);
    const forged = expect.objectContaining({ code: "approval_denied", details: { denied: "forged" } });
    const unlike: readonly unknown[] = [
      { ...suspended, expiresAt: suspended.expiresAt + 1 },
      { ...suspended, id: `${suspended.id}0` },
      { ...suspended, args: { a: 2 } },
      { ...suspended, seal: suspended.seal.slice(1) },
      { ...suspended, seal: undefined },
      null,
      "x",
      [],
    ];
    for (const one of unlike) expect(() => process.approval.approve(one)).toThrow(forged);
    expect(() => stranger.approval.approve(suspended)).toThrow(forged);
    const token = process.approval.approve(suspended);
    const [payload = "", signature = ""] = token.slice(4).split(".");
    const other = stranger.approval
      .approve(await suspend(stranger))
      .slice(4)
      .split(".")[0];
    for (const one of [
      "x",
      "tpa_",
      `${token}0`,
      `tpa_${other}.${signature}`,
      `tpa_${payload}.${"0".repeat(64)}`,
      suspended.seal,
      `${token} ${"x".repeat(100_000)}`,
    ]) {
      expect(await rejectionOf(process.send(gated({}, one)))).toMatchObject({ details: { denied: "forged" } });
    }
    expect(await rejectionOf(stranger.send(gated({}, token)))).toMatchObject({ details: { denied: "forged" } });
    expect([process.ran, stranger.ran]).toEqual([[], []]);
  });

  it("goes on although its key was replaced meanwhile, as long as the old one is believed", async () => {
    const world = createStageWorld();
    const before = startProcess(world);
    const plain: Change = { definition: { fingerprint: undefined } };
    const token = before.approval.approve(await suspend(before, gated(plain)));
    const newer = key.map((byte) => byte + 1);
    const after = startProcess(world, { suspend: { key: [newer, key] } });
    await after.send(gated(plain, token));
    const last = startProcess(world, { suspend: { key: newer } });
    expect(await rejectionOf(last.send(gated({}, token)))).toMatchObject({ details: { denied: "forged" } });
    expect([after.ran.length, last.ran.length]).toEqual([1, 0]);
  });

  it("without a fingerprint is bound to what the model was shown of the tool", async () => {
    const world = createStageWorld();
    const process = startProcess(world);
    const plain = { fingerprint: undefined, description: "Does it." };
    const suspended = await suspend(process, gated({ definition: plain }));
    expect(suspended.fingerprint).toBeNull();
    const token = process.approval.approve(suspended);
    const changed = gated({ definition: { ...plain, description: "Does more." } }, token);
    expect(await rejectionOf(process.send(changed))).toMatchObject({ details: { denied: "other-tool" } });
    await process.send(gated({ definition: { ...plain, name: "another_name" } }, token));
    expect(process.ran).toHaveLength(1);
  });

  it("is refused where its waiting was not kept, and never runs twice: another store, or one that forgot", async () => {
    const world = createStageWorld();
    const process = startProcess(world);
    const token = process.approval.approve(await suspend(process));
    const elsewhere = startProcess(createStageWorld());
    expect(await rejectionOf(elsewhere.send(gated({}, token)))).toMatchObject({ details: { denied: "used" } });
    expect(elsewhere.ran).toEqual([]);
  });

  it("does not run when the store forgets it between the look and the use", async () => {
    const world = createStageWorld();
    const first = startProcess(world);
    const token = first.approval.approve(await suspend(first));
    const { store } = world.parts;
    let looks = 0;
    const forgetful = {
      ...store,
      set: store.set.bind(store),
      delete: store.delete.bind(store),
      get: async (name: string) => {
        const isWaiting = name.startsWith("hostside:approval:suspended:");
        return isWaiting && (looks += 1) > 1 ? undefined : store.get(name);
      },
    };
    const process = startProcess({ ...world, parts: { ...world.parts, store: forgetful } });
    expect(await rejectionOf(process.send(gated({}, token)))).toMatchObject({ details: { denied: "used" } });
    expect([process.ran, looks]).toEqual([[], 2]);
  });

  it("is not suspended when the store fails, and does not go on when store or lock fail: nothing runs", async () => {
    const world = createStageWorld();
    const process = startProcess(world);
    const token = process.approval.approve(await suspend(process));
    const down = (): Promise<never> => Promise.reject(new Error("down"));
    const parts = { ...world.parts, store: { ...world.parts.store, set: down } };
    const broken = startProcess({ ...world, parts });
    const error = await rejectionOf(broken.send(gated()));
    expect([error.code, error.details.approval]).toEqual(["approval_required", undefined]);
    expect(await rejectionOf(broken.send(gated({}, token)))).toMatchObject({ code: "call_refused", retryable: true });
    const locked = startProcess({ ...world, parts: { ...world.parts, lock: { withLock: down } } });
    expect(await rejectionOf(locked.send(gated({}, token)))).toMatchObject({ code: "call_refused" });
    expect(world.events.filter(({ type }) => type === "part-failed")).toHaveLength(3);
    expect([...broken.ran, ...locked.ran]).toEqual([]);
    await process.send(gated({}, token));
    expect(process.ran).toHaveLength(1);
  });

  it("is not used up by a call that is over before its turn comes: aborted", async () => {
    const world = createStageWorld();
    const process = startProcess(world);
    const token = process.approval.approve(await suspend(process));
    const abort = new AbortController();
    const call = gated({}, token);
    let release: () => void = () => {};
    const held = world.parts.lock.withLock(
      lockKey(
        `hostside:approval:suspended:${(JSON.parse(atob(token.slice(4).split(".")[0] ?? "")) as SuspendedCall).id}`,
      ),
      1000,
      () => new Promise<void>((resolve) => (release = resolve)),
    );
    const aborted = rejectionOf(process.send({ ...call, options: { ...call.options, signal: abort.signal } }));
    await settle();
    abort.abort();
    release();
    await held;
    expect(await aborted).toMatchObject({ code: "aborted", outcome: "not-sent" });
    await settle();
    expect(world.eventTypes()).not.toContain("part-failed");
    await process.send(gated({}, token));
    expect(process.ran).toHaveLength(1);
  });

  it("ends with its conversation, in every process, and with nobody else's", async () => {
    const world = createStageWorld();
    const [process, another] = [startProcess(world), startProcess(world)];
    const call = (principal: string, token?: string) => gated({ context: { principal, conversation: "c1" } }, token);
    const tokenFor = async (principal: string) => process.approval.approve(await suspend(process, call(principal)));
    const [ada, bob] = [await tokenFor("ada"), await tokenFor("bob")];
    await another.approval.forget({ conversation: "c1", principal: "ada" });
    const error = await rejectionOf(process.send(call("ada", ada)));
    expect(error).toMatchObject({ code: "approval_denied", details: { denied: "used" } });
    await process.send(call("bob", bob));
    await process.send(call("ada", await tokenFor("ada")));
    expect(process.ran).toHaveLength(2);
  });

  it("remembers what its approval also holds for", async () => {
    const world = createStageWorld();
    const process = startProcess(world);
    await process.send(gated({}, process.approval.approve(await suspend(process), { remember: "always" })));
    await process.send(gated({ args: { c: 3 } }));
    expect(process.ran).toHaveLength(2);
    const suspended = await suspend(process, gated({ context: { principal: "bob" } }));
    expect(() => process.approval.approve(suspended, { remember: "no" as never })).toThrow(TypeError);
  });

  it("comes of a handler that answers suspend, too", async () => {
    const world = createStageWorld();
    const answers: unknown[] = [];
    const process = startProcess(world, {
      async handler(question) {
        answers.push(question.answers);
        return "suspend";
      },
    });
    await process.send(gated({}, process.approval.approve(await suspend(process))));
    expect(answers).toEqual([["once", "conversation", "always", "no", "suspend"]]);
    expect(process.ran).toHaveLength(1);
  });

  it("goes on once also where nobody is asked any more", async () => {
    const world = createStageWorld();
    const before = startProcess(world);
    const token = before.approval.approve(await suspend(before));
    const after = startProcess(world, { mode: "none" });
    await after.send(gated({}, token));
    expect(await rejectionOf(after.send(gated({}, token)))).toMatchObject({ details: { denied: "used" } });
    expect(after.ran).toHaveLength(1);
    const without = startProcess(world, { mode: "none", suspend: undefined });
    await without.send(gated({}, token));
    expect(without.ran[0]?.options.context).toEqual(context);
  });

  it("cannot be approved by a policy that suspends nothing: a TypeError", () => {
    const { approval } = startProcess(createStageWorld(), { suspend: undefined });
    expect(() => approval.approve({})).toThrow(TypeError);
  });
});
