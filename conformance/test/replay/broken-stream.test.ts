import type { Connection, ServerSpec } from "@hostside/core";
import { createReplay, parseRecording, type Recording } from "@hostside/conformance/replay";
import { describe, expect, it } from "vitest";
import { useManualClock, type ManualClock } from "../../../test/manual-clock.ts";

const url = "https://web.example/mcp";
const events = { "content-type": "text/event-stream" };
const post = (run: number, message: object): object => ({
  type: "request",
  server: "web",
  run,
  method: "POST",
  url,
  message: { jsonrpc: "2.0", ...message },
});
const resumed = (run: number): readonly object[] => [
  { type: "request", server: "web", run, method: "GET", url, headers: { "last-event-id": "e-1" } },
  { type: "cut", run, code: "ECONNREFUSED" },
];
const info = { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo: { name: "w", version: "1" } };

// The server is killed in the middle of a call.
function recordingOf(...after: readonly object[]): Recording {
  const lines = [
    { hostside: "recording", version: 1 },
    { type: "server", id: "web", transport: { type: "http", url } },
    post(1, { id: "#1", method: "initialize", params: {} }),
    { type: "reply", run: 1, status: 200, headers: { "content-type": "application/json" } },
    { type: "received", run: 1, message: { jsonrpc: "2.0", id: "#1", result: info } },
    { type: "body-end", run: 1 },
    post(2, { method: "notifications/initialized" }),
    { type: "reply", run: 2, status: 202 },
    { type: "body-end", run: 2 },
    post(3, { id: "#2", method: "tools/call", params: { name: "long", arguments: {} } }),
    { type: "reply", run: 3, status: 200, headers: events },
    { type: "event", run: 3, id: "e-1", text: "" },
    { type: "cut", run: 3, code: "UND_ERR_SOCKET" },
    ...after,
    { type: "end", masked: 0 },
  ];
  return parseRecording(lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
}

async function connect(recording: Recording): Promise<readonly [Connection, unused: () => unknown]> {
  const replay = await createReplay(recording);
  const spec = { ...(replay.servers[0] as ServerSpec), era: "legacy" } as const;
  const hooks = { onToolsChanged: () => undefined, onDown: () => undefined };
  return [await replay.connector.connect(spec, hooks, new AbortController().signal), () => replay.unused()];
}

async function settled(call: Promise<unknown>, clock: ManualClock): Promise<unknown> {
  let error: unknown;
  const done = call.catch((reason: unknown) => (error = reason));
  await expect.poll(() => (clock.advance(500), error)).toBeDefined();
  await done;
  return error;
}

describe("a recorded stream that broke", () => {
  it("hands out all that came before, and breaks then", async () => {
    const replay = await createReplay(recordingOf());
    const { fetch } = replay.effects(replay.servers[0] as ServerSpec);
    const body = JSON.stringify({
      jsonrpc: "2.0",
      id: 7,
      method: "tools/call",
      params: { name: "long", arguments: {} },
    });
    const response = await fetch?.(url, { method: "POST", body });
    const reader = response?.body?.getReader();
    expect(new TextDecoder().decode((await reader?.read())?.value)).toBe("id: e-1\ndata: \n\n");
    await expect(reader?.read()).rejects.toMatchObject({ cause: { code: "UND_ERR_SOCKET" } });
  });

  it("breaks at once for a host that gives it up", async () => {
    const replay = await createReplay(recordingOf());
    const { fetch } = replay.effects(replay.servers[0] as ServerSpec);
    const controller = new AbortController();
    const body = JSON.stringify({
      jsonrpc: "2.0",
      id: 7,
      method: "tools/call",
      params: { name: "long", arguments: {} },
    });
    const response = await fetch?.(url, { method: "POST", body, signal: controller.signal });
    controller.abort(new Error("given up"));
    await expect(response?.text()).rejects.toThrow("given up");
  });

  it("is resumed as it was, in no time", async () => {
    const clock = useManualClock();
    const [connection, unused] = await connect(recordingOf(...resumed(4), ...resumed(5), ...resumed(6)));
    const error = await settled(connection.callTool("long", {}), clock);
    expect(error).toMatchObject({
      code: "connection_closed",
      outcome: "unknown",
      details: { attempts: 3 },
      message: expect.stringContaining("broke off before the answer, and could not be resumed in 3 attempts"),
    });
    expect(unused()).toEqual([]);
    await connection.close();
  });
});
