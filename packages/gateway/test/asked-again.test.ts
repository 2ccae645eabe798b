import type { JsonObject } from "@hostside/core";
import type { HttpHandler } from "@hostside/gateway";
import { describe, expect, it } from "vitest";
import { openHeldCalls, type HeldCalls } from "./held-calls.ts";

const url = "http://127.0.0.1:7777/mcp";
const token = "0123456789abcdef0123";

/** A client of 2025-11-25 over HTTP whose streams a test breaks. */
interface Session {
  /** Sends a request; its stream breaks with the signal. */
  post(message: JsonObject, breaking?: AbortSignal): Promise<Response>;
  listen(breaking?: AbortSignal): Promise<Response>;
  answer(id: string, action: string): Promise<Response>;
}

async function openSession(handler: HttpHandler, accept = "application/json, text/event-stream"): Promise<Session> {
  const headers: Record<string, string> = {
    authorization: `Bearer ${token}`,
    "content-type": "application/json",
    accept,
  };
  const post: Session["post"] = (message, breaking) => {
    const body = JSON.stringify({ jsonrpc: "2.0", ...message });
    return handler.fetch(new Request(url, { method: "POST", headers, body, ...(breaking && { signal: breaking }) }));
  };
  const clientInfo = { name: "raw", version: "1" };
  const params = { protocolVersion: "2025-11-25", capabilities: { elicitation: { form: {} } }, clientInfo };
  const opened = await post({ id: 0, method: "initialize", params });
  headers["mcp-session-id"] = opened.headers.get("mcp-session-id") ?? "";
  return {
    post,
    listen: (breaking) => {
      const init = { headers: { ...headers, accept: "text/event-stream" }, ...(breaking && { signal: breaking }) };
      return handler.fetch(new Request(url, init));
    },
    answer: (id, action) => post({ id, result: { action } }),
  };
}

/** The id of the first question that comes over a stream. */
async function questionOn(response: Response): Promise<string> {
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  for (let all = ""; ;) {
    const part = await reader?.read();
    if (part === undefined || part.done) return "none";
    all += decoder.decode(part.value as Uint8Array, { stream: true });
    const [, id] = /"id":"(question-\d+)"/.exec(all) ?? [];
    if (id !== undefined) return id;
  }
}

async function open(
  accept?: string,
): Promise<{ readonly world: HeldCalls; readonly session: Session; readonly call: JsonObject }> {
  const world = openHeldCalls({ limits: { parkedMs: 1000 } });
  const session = await openSession(world.gateway.http({ auth: { token } }), accept);
  return { world, session, call: { id: 1, method: "tools/call", params: { name: "call" } } };
}

const begun = (world: HeldCalls) => expect.poll(() => world.jobs.length).toBe(1);
const ignore = (): void => {};

/** A call whose stream breaks before its server asks. */
async function askAfterTheBreak() {
  const { world, session, call } = await open();
  const breaking = new AbortController();
  session.post(call, breaking.signal).catch(ignore);
  await begun(world);
  breaking.abort();
  return { world, session, answered: world.jobs[0]?.ask("Which?") };
}

describe("a question to a client of 2025-11-25 whose stream breaks", () => {
  it("is asked again under its id when the client listens, and its answer counts", async () => {
    const { world, session, call } = await open();
    const breaking = new AbortController();
    const calling = session.post(call, breaking.signal);
    await begun(world);
    const answered = world.jobs[0]?.ask("Which?");
    const id = await questionOn(await calling);
    breaking.abort();
    expect(await questionOn(await session.listen())).toBe(id);
    await session.answer(id, "decline");
    expect(await answered).toBe("decline null");
    await world.close();
  });

  it("waits for the client where the stream broke before it", async () => {
    const { world, session, answered } = await askAfterTheBreak();
    const id = await questionOn(await session.listen());
    await session.answer(id, "decline");
    expect(await answered).toBe("decline null");
    await world.close();
  });

  it("waits no longer than parkedMs, and is cancelled then", async () => {
    const { world, session, answered } = await askAfterTheBreak();
    let isOver = false;
    void answered?.then(() => (isOver = true));
    world.clock.advance(999);
    // As good a moment as any for it to be over too early.
    await session.answer("question-7", "decline");
    expect(isOver).toBe(false);
    world.clock.advance(1);
    expect(await answered).toBe("cancel null");
    await world.close();
  });

  it("is asked again each time that the stream breaks on which the client listens", async () => {
    const { world, session, call } = await open();
    const breaking = new AbortController();
    const listening = [new AbortController(), new AbortController()] as const;
    session.post(call, breaking.signal).catch(ignore);
    await begun(world);
    breaking.abort();
    const answered = world.jobs[0]?.ask("Which?");
    for (const { signal } of listening) expect(await questionOn(await session.listen(signal))).toBe("question-1");
    for (const one of listening) one.abort();
    expect(await questionOn(await session.listen())).toBe("question-1");
    await session.answer("question-1", "decline");
    expect(await answered).toBe("decline null");
    await world.close();
  });
});

describe("a question to a client of 2025-11-25", () => {
  it("is asked once where its stream lasts, whatever the client listens to besides", async () => {
    const { world, session, call } = await open();
    const calling = session.post(call);
    await begun(world);
    const answered = world.jobs[0]?.ask("Which?");
    const id = await questionOn(await calling);
    const listening = questionOn(await session.listen());
    await session.answer(id, "decline");
    expect(await answered).toBe("decline null");
    await world.close();
    expect(await listening).toBe("none");
  });

  it("is cancelled at once where it takes no streams and listens to none", async () => {
    const { world, session, call } = await open("application/json");
    session.post(call).catch(ignore);
    await begun(world);
    expect(await world.jobs[0]?.ask("Which?")).toBe("cancel null");
    await world.close();
  });
});
