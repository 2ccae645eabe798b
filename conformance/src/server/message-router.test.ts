import { describe, expect, it } from "vitest";
import { createMessageRouter, type MessageRouter } from "./message-router.ts";
import type { RawMessage } from "./raw-session.ts";

function start(): { router: MessageRouter; replies: RawMessage[] } {
  const replies: RawMessage[] = [];
  return { router: createMessageRouter((message) => void replies.push(message)), replies };
}

describe("createMessageRouter()", () => {
  it("settles the request of an id and no other, by value and type", async () => {
    const { router } = start();
    const [number, text] = [router.awaitAnswer(7, 1000), router.awaitAnswer("7", 1000)];
    router.receive({ jsonrpc: "2.0", id: "7", result: "text" });
    router.receive({ jsonrpc: "2.0", id: 7, error: { code: 1, message: "number" } });
    expect(await text).toMatchObject({ kind: "result", result: "text" });
    expect(await number).toMatchObject({ kind: "error", code: 1, text: "number" });
    expect(router.unsolicited).toEqual([]);
  });

  it("keeps an answer to nothing, and one that is only late apart from them", async () => {
    const { router } = start();
    expect(await router.awaitAnswer(1, 1)).toEqual({ kind: "silence", afterMs: 1 });
    router.receive({ jsonrpc: "2.0", id: 1, result: {} });
    router.receive({ jsonrpc: "2.0", id: 1, result: {} });
    expect(router.unsolicited).toEqual([{ jsonrpc: "2.0", id: 1, result: {} }]);
    expect(router.lateAnswers).toMatchObject([{ kind: "result", message: { id: 1 } }]);
  });

  it.each([
    [{ jsonrpc: "1.0", id: 2 }, 'an object with id 2 came that is no JSON-RPC 2.0 message (jsonrpc is "1.0")'],
    [{ id: 2, result: {} }, "an object with id 2 came that is no JSON-RPC 2.0 message (it has no jsonrpc)"],
    [{ id: "2" }, 'an object with id "2" came that is no JSON-RPC 2.0 message (it has no jsonrpc)'],
    [{ id: 3 }, undefined],
  ])("says when the time is up that %j came, which is no message", async (value, instead) => {
    const { router } = start();
    const answer = router.awaitAnswer(2, 1);
    router.receive(value);
    expect(await answer).toEqual({ kind: "silence", afterMs: 1, ...(instead !== undefined && { instead }) });
    expect(router.unsolicited).toEqual([]);
  });

  it.each([
    [2, "2", 'an answer with id "2" (a text) to request 2'],
    ["2", 2, 'an answer with id 2 (a number) to request "2"'],
    ["", 0, undefined],
  ])("says when the time is up of request %j that an answer to %j came", async (asked, id, instead) => {
    const { router } = start();
    const answer = router.awaitAnswer(asked, 1);
    router.receive({ jsonrpc: "2.0", id, result: {} });
    expect(await answer).toEqual({ kind: "silence", afterMs: 1, ...(instead !== undefined && { instead }) });
    expect(router.unsolicited).toHaveLength(1);
  });

  it("adds to the response without an answer what it carries that is almost one", async () => {
    const { router } = start();
    const answers = [router.awaitAnswer(2, 1000), router.awaitAnswer(3, 1000)];
    router.receive({ id: 2, result: {} });
    const response = { kind: "http", status: 200, contentType: "application/json", excerpt: "{}" } as const;
    for (const id of [2, 3]) router.settle(id, response);
    const instead = "an object with id 2 came that is no JSON-RPC 2.0 message (it has no jsonrpc)";
    expect(await Promise.all(answers)).toEqual([{ ...response, instead }, response]);
  });

  it("hands requests of the server on to be answered, and keeps them", () => {
    const { router, replies } = start();
    router.receive({ jsonrpc: "2.0", id: 1, method: "ping" });
    router.receive({ jsonrpc: "2.0", method: "notifications/message" });
    expect(replies).toHaveLength(1);
    expect(router.unsolicited).toHaveLength(2);
  });

  it("settles everything when the session ends", async () => {
    const { router } = start();
    const waiting = [router.awaitAnswer(1, 1000), router.waitFor(() => true, 1000)];
    router.end("over");
    router.end("again");
    expect(await Promise.all([...waiting, router.awaitAnswer(2, 1000)])).toEqual([
      { kind: "gone", reason: "over" },
      undefined,
      { kind: "gone", reason: "over" },
    ]);
  });
});
