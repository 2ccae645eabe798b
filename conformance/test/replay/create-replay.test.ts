import type { Connection, Connector, ServerSpec } from "@hostside/core";
import {
  createRecorder,
  createReplay,
  parseRecording,
  type ReplayOptions,
  type Replay,
} from "@hostside/conformance/replay";
import { describe, expect, it } from "vitest";

const message = (members: object): object => ({ jsonrpc: "2.0", ...members });
const sent = (members: object, at = 0): object => ({ at, type: "sent", run: 1, message: message(members) });
const received = (members: object, at = 0): object => ({ at, type: "received", run: 1, message: message(members) });
const call = (id: string, args: object): object =>
  sent({ id, method: "tools/call", params: { name: "add", arguments: args } });
const answer = (id: string, text: string, at = 0): object =>
  received({ id, result: { content: [{ type: "text", text }] } }, at);

const handshake = [
  { at: 0, type: "start", server: "math", run: 1 },
  sent({ id: "#1", method: "initialize", params: {} }),
  received({
    id: "#1",
    result: { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo: { name: "m", version: "1" } },
  }),
  sent({ method: "notifications/initialized" }),
];

function recordingOf(...events: readonly object[]): ReturnType<typeof parseRecording> {
  const lines = [
    { hostside: "recording", version: 1 },
    { type: "server", id: "math", transport: { type: "stdio", command: "math-server" } },
    ...handshake,
    ...events,
    { type: "end", masked: 0 },
  ];
  return parseRecording(lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
}

async function open(connector: Connector, spec: ServerSpec | undefined): Promise<Connection> {
  const hooks = { onToolsChanged: () => undefined, onDown: () => undefined };
  return connector.connect({ ...(spec as ServerSpec), era: "legacy" }, hooks, new AbortController().signal);
}

async function replayed(
  events: readonly object[],
  options?: ReplayOptions,
): Promise<{ replay: Replay; connection: Connection; add: (args: object) => Promise<unknown> }> {
  const replay = await createReplay(recordingOf(...events), options);
  const connection = await open(replay.connector, replay.servers[0]);
  const add = async (args: object): Promise<unknown> => {
    const { content } = await connection.callTool("add", { ...args });
    return content;
  };
  return { replay, connection, add };
}

const twoCalls = [call("#2", { a: 1, b: 2 }), answer("#2", "3"), call("#3", { a: 2, b: 2 }), answer("#3", "4")];

describe("createReplay()", () => {
  it("answers by method and parameters, in any order of members and of requests", async () => {
    const { replay, add, connection } = await replayed(twoCalls);
    expect(await add({ b: 2, a: 2 })).toEqual([{ type: "text", text: "4" }]);
    expect(await add({ a: 1, b: 2 })).toEqual([{ type: "text", text: "3" }]);
    expect([replay.misses(), replay.unused()]).toEqual([[], []]);
    replay.check({ unused: true });
    await connection.close();
  });

  it("gives equal requests their answers one after the other, and refuses one more call", async () => {
    const { replay, add } = await replayed([
      call("#2", { a: 1 }),
      answer("#2", "x"),
      call("#3", { a: 1 }),
      answer("#3", "y"),
    ]);
    expect([await add({ a: 1 }), await add({ a: 1 })]).toEqual([
      [{ type: "text", text: "x" }],
      [{ type: "text", text: "y" }],
    ]);
    await expect(add({ a: 1 })).rejects.toThrow("recorded 2 times (line 9) and is asked once more");
    expect(() => replay.check()).toThrow("asked once more");
  });

  it("gives an answer that is no message when its request was made, though the host went on before it was over", async () => {
    const long = `{"jsonrpc":"2.0","id":"#2","result":"${"x".repeat(3000)}`;
    const replay = await createReplay(
      recordingOf(
        call("#2", { a: 1 }),
        call("#3", { a: 2 }),
        { at: 0, type: "stdout", run: 1, text: long, omitted: 5000 },
        answer("#3", "y"),
      ),
    );
    const spec = { ...(replay.servers[0] as ServerSpec), limits: { maxMessageBytes: 2000 } };
    const connection = await open(replay.connector, spec);
    const tooLong = connection.callTool("add", { a: 1 });
    await expect(tooLong).rejects.toMatchObject({ code: "message_too_large" });
    expect(await connection.callTool("add", { a: 2 })).toMatchObject({ content: [{ type: "text", text: "y" }] });
    await connection.close();
  });

  it("answers a read once more as it was last, and a call not", async () => {
    const list = [sent({ id: "#9", method: "tools/list", params: {} }), received({ id: "#9", result: { tools: [] } })];
    const { add, connection } = await replayed([...twoCalls, ...list]);
    for (let time = 0; time < 2; time += 1) expect((await connection.listTools()).tools).toEqual([]);
    await add({ a: 1, b: 2 });
    await expect(add({ a: 1, b: 2 })).rejects.toThrow("asked once more");
  });

  it("names the nearest request that was recorded, and how it differs", async () => {
    const { replay, add, connection } = await replayed(twoCalls);
    await expect(add({ a: 2, b: 3 })).rejects.toThrow(
      'replay of server "math": tools/call "add" was not recorded; the nearest is tools/call "add" (line 9): params.arguments.b was 2 there and is 3 here',
    );
    await expect(connection.request("resources/list")).rejects.toThrow('recorded are "initialize", "tools/call"');
    expect(replay.misses()).toHaveLength(2);
    expect(replay.unused()).toEqual([
      { serverId: "math", request: 'tools/call "add"', line: 7 },
      { serverId: "math", request: 'tools/call "add"', line: 9 },
    ]);
    expect(() => replay.check({ unused: true })).toThrow('tools/call "add" of math (line 7) was not asked');
  });

  it("lets a placeholder stand for any text", async () => {
    const { add } = await replayed([
      call("#2", { key: "[secret:1]", url: "https://x/[secret:2]/y" }),
      answer("#2", "in"),
    ]);
    expect(await add({ key: "hunter2", url: "https://x/abc/y" })).toEqual([{ type: "text", text: "in" }]);
  });

  it("reaches no server that is not in the recording", async () => {
    const replay = await createReplay(recordingOf());
    const spec: ServerSpec = { id: "other", type: "stdio", command: "rm", args: ["-rf"] };
    await expect(open(replay.connector, spec)).rejects.toMatchObject({ code: "unknown_server" });
    expect(() => replay.connector.check?.(spec)).toThrow('not in the recording, which has "math"');
  });

  it("throws a TypeError for options that are wrong", async () => {
    await expect(createReplay(recordingOf(), { what: 1 } as never)).rejects.toThrow(TypeError);
  });
});

describe("what is no recording", () => {
  it.each([5, null, {}, { servers: [] }])("is refused as such: %j", async (recording) => {
    const failure: unknown = await createReplay(recording as never).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(TypeError);
    expect(String(failure)).toContain("createReplay() takes the path of a recording");
  });
});

it("names the recorder where its file cannot be written", () => {
  expect(() => createRecorder({ to: "/no/such/folder/x.jsonl" })).toThrow(
    /store_failed.*createRecorder\(\): the file of the recording cannot be written: ENOENT/,
  );
});
