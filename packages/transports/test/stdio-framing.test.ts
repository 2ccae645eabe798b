import type { JsonObject } from "@hostside/core";
import { describe, expect, it } from "vitest";
import { openChild, until } from "./open-child.ts";

const request = (id: number, params: JsonObject = {}) => ({
  jsonrpc: "2.0" as const,
  id,
  method: "echo",
  params,
});

describe("stdout that is not only messages", () => {
  it("noise is skipped and reported; CRLF, blank lines, a byte order mark and batches are accepted", async () => {
    const { messages, diagnostics } = await openChild("prints-anomalies.mjs");
    await until(() => messages.length === 4);
    expect(messages.map(({ method }) => method)).toEqual(["first", "second", "third", "fourth"]);
    expect(diagnostics.map(({ kind, message }) => [kind, message])).toEqual([
      ["stdout-anomaly", 'server "child" wrote a line to stdout that is not JSON: "Welcome to the server!"'],
      [
        "stdout-anomaly",
        String.raw`server "child" wrote a line to stdout that is not JSON: "{\"jsonrpc\": \"2.0\", oops}"`,
      ],
      ["stdout-anomaly", 'server "child" wrote a line to stdout that is no JSON-RPC message: "[1,2]"'],
      ["stdout-anomaly", 'server "child" wrote a line to stdout that is not JSON: "null"'],
      ["stdout-anomaly", expect.stringContaining("a batch with members that are no messages")],
    ]);
  });

  it("a log line that is a JSON object is no message, and is quoted", async () => {
    const { messages, diagnostics } = await openChild("logs-json.mjs");
    await until(() => messages.length === 2);
    expect(messages).toEqual([
      { jsonrpc: "2.0", method: "first" },
      { id: 7, msg: "an answer, though a broken one" },
    ]);
    expect(diagnostics.map(({ kind, message }) => [kind, message])).toEqual(
      [
        String.raw`"{\"level\":\"info\",\"msg\":\"listening\"}"`,
        String.raw`"{\"level\":\"error\",\"error\":{\"code\":\"ENOENT\"}}"`,
      ].map((line) => ["stdout-anomaly", `server "child" wrote a line to stdout that is no JSON-RPC message: ${line}`]),
    );
  });

  it("a server that logs to stdout for ever is reported a bounded number of times", async () => {
    const { messages, diagnostics } = await openChild("prints-banner-for-ever.mjs");
    await until(() => messages.length === 1);
    expect(diagnostics).toHaveLength(12);
    expect(diagnostics.at(-1)?.message).toContain('"log line 1000" (1000 such lines so far)');
  });

  it("a message that comes byte by byte, through characters of several bytes, is the same message", async () => {
    const { messages } = await openChild("drips.mjs");
    await until(() => messages.length === 1);
    expect(messages[0]).toEqual({ jsonrpc: "2.0", method: "äöü € 𝄞 日本語" });
  });
});

describe("an answer that is too long", () => {
  const spec = { limits: { maxMessageBytes: 100_000 } };

  it("costs only its own request (message_too_large), wherever the id stands", async () => {
    const { transport, messages, failures } = await openChild("answers-too-long.mjs", { spec });
    await transport.send(request(1, { bytes: 150_000 }));
    await transport.send(request(2, { bytes: 150_000, idLast: true }));
    await transport.send(request(3, { bytes: 50_000 }));
    await until(() => messages.length === 1);
    expect(messages[0]).toMatchObject({ id: 3 });
    expect(failures.map(({ id, error }) => [id, error.code, error.serverId])).toEqual([
      [1, "message_too_large", "child"],
      [2, "message_too_large", "child"],
    ]);
    expect(failures[0]?.error.message).toContain("too long (more than maxMessageBytes, 100000 bytes)");
  });

  it("is let in when it is exactly as long as the limit", async () => {
    const frame = JSON.stringify({ jsonrpc: "2.0", id: 1, result: { text: "" } }).length;
    const { transport, messages, failures } = await openChild("answers-too-long.mjs", { spec });
    await transport.send(request(1, { bytes: 100_000 - frame }));
    await transport.send(request(2, { bytes: 100_000 - frame + 1 }));
    await until(() => messages.length + failures.length === 2);
    expect(messages).toMatchObject([{ id: 1 }]);
    expect(failures).toMatchObject([{ id: 2 }]);
  });

  it("and never ends, fails its request at once", async () => {
    const { transport, failures } = await openChild("never-ends-its-answer.mjs", { spec });
    await transport.send(request(7));
    await until(() => failures.length === 1);
    expect(failures).toMatchObject([{ id: 7, error: { code: "message_too_large" } }]);
  });

  it("and never ends: the server is ended with message_too_large", async () => {
    const { transport, closed } = await openChild("endless-line.mjs", { spec });
    await transport.send(request(1));
    await closed;
    expect(transport.closeReason).toMatchObject({ code: "message_too_large" });
  });
});

it("an answer that is no UTF-8 is read, and told of", async () => {
  const { transport, messages, diagnostics } = await openChild("writes-latin-1.mjs");
  await transport.send(request(1));
  await until(() => messages.length === 1);
  expect(messages).toEqual([{ jsonrpc: "2.0", id: 1, result: { text: "gr\uFFFDezi" } }]);
  expect(diagnostics).toMatchObject([{ kind: "stdout-anomaly", message: expect.stringContaining("not valid UTF-8") }]);
});

it("an answer that is nested too deeply fails its request with protocol_error, and the next one is read", async () => {
  const { transport, failures } = await openChild("nests-deeply.mjs");
  await transport.send(request(1));
  await until(() => failures.length === 1);
  await transport.send(request(2));
  await until(() => failures.length === 2);
  expect(failures.map(({ id, error }) => [id, error.code])).toEqual([
    [1, "protocol_error"],
    [2, "protocol_error"],
  ]);
});
