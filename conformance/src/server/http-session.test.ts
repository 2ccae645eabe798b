import { shakeHands } from "./ready-session.ts";
import { startFaultServer } from "@hostside/fixtures";
import { describe, expect, it } from "vitest";
import { createTraceRecorder } from "../engine/trace-recorder.ts";
import { openHttpSession } from "./http-session.ts";

describe("openHttpSession()", () => {
  it.each(["json", "sse"] as const)(
    "sends the session's id from the first notification on, after %s",
    async (answers) => {
      const script = { era: "legacy", http: { answers } } as const;
      await using server = await startFaultServer({ script, transport: "http" });
      const trace = createTraceRecorder();
      const session = openHttpSession(new URL(server.url), { id: "#1", trace, answerMs: 60_000 });
      await shakeHands(session, { answerMs: 60_000 });
      await session.request("ping");
      await session.close();
      const posts = trace.slice().filter(({ kind, text }) => kind === "http" && text.startsWith("POST"));
      expect(posts.map(({ text }) => text.includes("mcp-session-id"))).toEqual([false, true, true]);
    },
  );

  it("shows no credential in the trace", async () => {
    await using server = await startFaultServer({ script: {}, transport: "http" });
    const trace = createTraceRecorder();
    const headers = { authorization: "Bearer hunter2", "x-api-key": "hunter2" };
    const session = openHttpSession(new URL(server.url), { id: "#1", trace, answerMs: 60_000, headers });
    await shakeHands(session, { answerMs: 60_000 });
    await session.close();
    expect(JSON.stringify(trace.slice())).not.toContain("hunter2");
  });

  it("tells in the trace that an answer was cut short, and not when it hangs up itself", async () => {
    const cut = { type: "http", status: 200, body: '{"jsonrpc":', end: "reset" } as const;
    const script = { era: "legacy", rules: [{ on: "ping", do: [cut] }] } as const;
    await using server = await startFaultServer({ script, transport: "http" });
    const trace = createTraceRecorder();
    const session = openHttpSession(new URL(server.url), { id: "#1", trace, answerMs: 60_000 });
    await shakeHands(session, { answerMs: 60_000 });
    await session.request("ping");
    await session.close();
    const broken = trace.slice().filter(({ text }) => text.includes("did not come"));
    expect(broken.map(({ text }) => text)).toEqual([
      expect.stringMatching(/^200 .*; the rest of it did not come: ECONNRESET$/),
    ]);
  });

  it("keeps what came of an answer when the connection is reset after it was read", async () => {
    const started = { jsonrpc: "2.0", method: "notifications/started" };
    const answer = { type: "sse", events: [{ data: started }], end: "open" } as const;
    const rules = [
      { on: "ping", do: [answer, { type: "hold", barrier: "read" }, { type: "reset" }] },
      { on: "notifications/read", do: [{ type: "release", barrier: "read" }, { type: "proceed" }] },
    ] as const;
    await using server = await startFaultServer({ script: { era: "legacy", rules }, transport: "http" });
    const trace = createTraceRecorder();
    const session = openHttpSession(new URL(server.url), { id: "#1", trace, answerMs: 60_000 });
    await shakeHands(session, { answerMs: 60_000 });
    const answered = session.request("ping");
    expect(await session.waitFor(({ method }) => method === started.method, 60_000)).toEqual(started);
    await session.notify("notifications/read");
    expect(await answered).toMatchObject({ kind: "http", status: 200 });
    expect(trace.slice().map(({ text }) => text)).toContainEqual(
      expect.stringMatching(/^200 .*; the rest of it did not come: ECONNRESET$/),
    );
    await session.close();
  });

  it("ends a request when its time is up, and hangs up", async () => {
    const script = { rules: [{ on: "POST", do: [] }] };
    await using server = await startFaultServer({ script, transport: "http" });
    const session = openHttpSession(new URL(server.url), { id: "#1", trace: createTraceRecorder(), answerMs: 50 });
    expect(["gone", "silence"]).toContain((await session.request("ping")).kind);
    await session.close();
  });
});
