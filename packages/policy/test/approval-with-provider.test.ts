import { createMemoryLock, type CallRecord, type Store } from "@hostside/core";
import { createToolbox } from "@hostside/discovery";
import { createProvider, type McpProvider } from "@hostside/provider";
import { createConnector } from "@hostside/transports";
import { Keyv } from "keyv";
import { describe, expect, it, vi } from "vitest";
import { interceptCalls } from "../../provider/test/intercept-calls.ts";
import type { ApprovalAnswer, ApprovalOptions, ApprovalQuestion } from "../src/approval/approval-options.ts";
import { asksBy } from "./approval-setup.ts";
import { createApproval, type Approval } from "../src/approval/approval.ts";
import type { PolicyEvent } from "../src/policy-event.ts";
import { createListedServer, entryOf, type ListedServer } from "./listed-server.ts";
import { rejectionOf } from "./stage-world.ts";

const pay = "mcp_bank_pay";
const context = { principal: "ada", conversation: "c1" };

interface Bank extends AsyncDisposable {
  readonly provider: McpProvider;
  readonly approval: Approval;
  readonly questions: ApprovalQuestion[];
  readonly events: PolicyEvent[];
  /** Answers the question that was asked last. */
  answer(answer: ApprovalAnswer): void;
  /** Waits until so many questions were asked. */
  asked(count: number): Promise<void>;
}

/** A real provider with one server and the stage around its calls. */
async function openBank(
  server: ListedServer,
  {
    store = new Keyv(),
    lock = createMemoryLock(),
    inToolbox = false,
    ...options
  }: Partial<ApprovalOptions> & {
    readonly store?: Store;
    readonly lock?: ReturnType<typeof createMemoryLock>;
    readonly inToolbox?: boolean;
  } = {},
): Promise<Bank> {
  const questions: ApprovalQuestion[] = [];
  const events: PolicyEvent[] = [];
  let answer: (given: ApprovalAnswer) => void = () => {};
  const handler = (question: ApprovalQuestion): Promise<ApprovalAnswer> => {
    questions.push(question);
    return new Promise((resolve) => {
      answer = resolve;
    });
  };
  const parts = {
    store,
    lock,
    emit: (event: PolicyEvent) => void events.push(event),
  };
  const approval = createApproval({ handler, ...options }, parts, asksBy(options.mode));
  const provider = createProvider({
    connector: createConnector(),
    servers: [{ id: "bank", ...server.transport }],
  });
  await provider.init();
  return {
    provider: inToolbox ? provider : interceptCalls(provider, [approval.around((call, next) => next(call))]),
    approval,
    questions,
    events,
    answer: (given) => answer(given),
    asked: (count) => vi.waitFor(() => expect(questions).toHaveLength(count), 60_000),
    [Symbol.asyncDispose]: () => provider.close(),
  };
}

describe("a provider whose calls are approved", () => {
  it("runs what was approved, once, with what was shown, and tells its server nothing of the host's", async () => {
    const server = createListedServer(entryOf("pay"));
    await using bank = await openBank(server);
    const args = { to: "bob", amount: 5 };
    const call = bank.provider.call(pay, args, { context });
    await bank.asked(1);
    expect(server.calls).toEqual([]);
    args.amount = 5000;
    bank.answer("once");
    expect(await call).toMatchObject({ isError: false });
    expect(bank.questions[0]?.definition).toBe(bank.provider.tools()[0]);
    expect(server.calls).toEqual([{ name: "pay", arguments: { amount: 5, to: "bob" } }]);
    expect(server.heard.join("\n")).not.toMatch(/ada|c1/);
  });

  it("refuses what changed while somebody was asked, and runs neither the old nor the new: tool_changed", async () => {
    const server = createListedServer(entryOf("pay"));
    await using bank = await openBank(server);
    const refused = rejectionOf(bank.provider.call(pay, { amount: 5 }, { context }));
    await bank.asked(1);
    server.entries = [entryOf("pay", { description: "Pays twice." })];
    await bank.provider.refresh();
    bank.answer("always");
    expect(await refused).toMatchObject({ code: "tool_changed", outcome: "not-sent" });
    const again = rejectionOf(bank.provider.call(pay, { amount: 5 }, { context }));
    await bank.asked(2);
    expect(bank.questions[1]?.definition.description).toContain("Pays twice.");
    bank.answer("no");
    expect(await again).toMatchObject({ code: "approval_denied" });
    expect(server.calls).toEqual([]);
  });

  it("refuses what changed back: what the caller selected, what was shown and what runs are one", async () => {
    const server = createListedServer(entryOf("pay"));
    await using bank = await openBank(server, { inToolbox: true });
    const toolbox = createToolbox({
      providers: [bank.provider],
      interceptors: [bank.approval.around((call, next) => next(call))],
    });
    const [old] = toolbox.tools();
    server.entries = [entryOf("pay", { description: "Pays into the right account." })];
    await bank.provider.refresh();
    const refused = await rejectionOf(toolbox.call(pay, { amount: 5 }, { selected: old, context }));
    expect(refused).toMatchObject({ code: "tool_changed", outcome: "not-sent" });
    expect([bank.questions, server.calls]).toEqual([[], []]);
  });

  it("refuses a call whose server was replaced while somebody was asked: registration_replaced", async () => {
    const server = createListedServer(entryOf("pay"));
    const other = createListedServer(entryOf("pay"));
    await using bank = await openBank(server, { inToolbox: true });
    const toolbox = createToolbox({
      providers: [bank.provider],
      interceptors: [bank.approval.around((call, next) => next(call))],
    });
    const refused = rejectionOf(toolbox.view({ context }).call(pay, { amount: 5 }));
    await bank.asked(1);
    await bank.provider.removeServer("bank");
    await bank.provider.addServer({ id: "bank", ...other.transport });
    bank.answer("once");
    expect(await refused).toMatchObject({ code: "registration_replaced", outcome: "not-sent" });
    expect([server.calls, other.calls]).toEqual([[], []]);
  });

  it("asks again about a tool whose entry changed where no model can see it, and not after a mere re-listing", async () => {
    const server = createListedServer(entryOf("pay"));
    await using bank = await openBank(server);
    const first = bank.provider.call(pay, { amount: 1 }, { context });
    await bank.asked(1);
    bank.answer("always");
    await first;
    server.entries = [entryOf("other"), entryOf("pay")];
    await bank.provider.refresh();
    await bank.provider.call(pay, { amount: 2 }, { context });
    expect([bank.questions.length, server.calls.length]).toEqual([1, 2]);
    server.entries = [entryOf("pay", { _meta: { "example.com/version": 2 } })];
    await bank.provider.refresh();
    const third = rejectionOf(bank.provider.call(pay, { amount: 3 }, { context }));
    await bank.asked(2);
    bank.answer("no");
    expect(await third).toMatchObject({ code: "approval_denied" });
    expect(server.calls).toHaveLength(2);
  });

  it("withdraws its question when it closes", async () => {
    const server = createListedServer(entryOf("pay"));
    await using bank = await openBank(server);
    const closed = rejectionOf(bank.provider.call(pay, {}, { context }));
    await bank.asked(1);
    await bank.provider.close();
    bank.answer("once");
    expect(await closed).toMatchObject({ code: "closed" });
    expect([bank.questions[0]?.signal.aborted, server.calls]).toEqual([true, []]);
  });

  it("asks about a product's own tools as well", async () => {
    const server = createListedServer();
    await using bank = await openBank(server, { inToolbox: true });
    const ran: unknown[] = [];
    const toolbox = createToolbox({
      providers: [bank.provider],
      tools: [
        {
          definition: { name: "wipe", description: "Wipes.", inputSchema: { type: "object" } },
          run: (_args, { context: who }) => (ran.push(who), "wiped"),
        },
      ],
      interceptors: [bank.approval.around((call, next) => next(call))],
    });
    const call = toolbox.call("wipe", {}, { context });
    await bank.asked(1);
    expect([bank.questions[0]?.tool.serverId, ran]).toEqual(["", []]);
    bank.answer("once");
    await call;
    expect(ran).toEqual([context]);
  });

  it("goes on with a suspended call in another process, once, and its token is in no record, event or message", async () => {
    const server = createListedServer(entryOf("pay"));
    const suspend = { key: new Uint8Array(32).fill(3) };
    const shared = { store: new Keyv(), lock: createMemoryLock(), handler: undefined, suspend };
    let kept: string;
    {
      await using first = await openBank(server, shared);
      const { code, details } = await rejectionOf(first.provider.call(pay, { to: "bob", amount: 5 }, { context }));
      expect(code).toBe("approval_required");
      kept = JSON.stringify(details.approval);
    }
    await using second = await openBank(server, shared);
    const approval = second.approval.approve(JSON.parse(kept));
    const records: CallRecord[] = [];
    second.provider.onCallEnded((record) => records.push(record));
    const options = { context: { ...context, approval } };
    const tries = await Promise.allSettled(
      [1, 2, 3].map(() => second.provider.call(pay, { amount: 5, to: "bob" }, options)),
    );
    expect(tries.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect(server.calls).toEqual([{ name: "pay", arguments: { amount: 5, to: "bob" } }]);
    const traces = [...server.heard, JSON.stringify(records), JSON.stringify(second.events)].join("\n");
    expect(traces).not.toContain(approval.slice(0, 30));
    server.entries = [entryOf("pay", { description: "Pays twice." })];
    await second.provider.refresh();
    const changed = await rejectionOf(second.provider.call(pay, { to: "bob", amount: 5 }, options));
    expect(changed).toMatchObject({ code: "approval_denied", details: { denied: "other-tool" } });
  });
});
