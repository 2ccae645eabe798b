import type { JsonObject } from "@hostside/core";
import { describe, expect, it } from "vitest";
import { MessageReader } from "./message-reader.ts";

function open(maxMessageBytes: number) {
  const messages: JsonObject[] = [];
  const diagnostics: string[] = [];
  let endless = 0;
  const reader = new MessageReader({
    serverId: "a",
    maxMessageBytes,
    maxMessageValues: 100_000,
    redact: (text) => text,
    onMessage: (message) => void messages.push(message),
    onRequestFailed: (id) => expect.unreachable(`request ${id} failed`),
    onDiagnostic: ({ message }) => void diagnostics.push(message),
    onEndless: () => void (endless += 1),
  });
  const push = (text: string): void => {
    const bytes = Buffer.from(text);
    for (let start = 0; start < bytes.length; start += 65_536) reader.push(bytes.subarray(start, start + 65_536));
  };
  return { push, messages, diagnostics, endless: () => endless };
}

const mebibyte = 1024 * 1024;

describe("MessageReader", () => {
  it("keeps nothing of a batch of more than 1,000 messages, and reads what follows it", () => {
    const { push, messages, diagnostics } = open(mebibyte);
    push(`[${"{},".repeat(1000)}{}]\n{"jsonrpc":"2.0","method":"after"}\n`);
    push(`[${"{},".repeat(200_000)}{}]\n`);
    expect(messages).toEqual([{ jsonrpc: "2.0", method: "after" }]);
    expect(diagnostics).toEqual([
      expect.stringContaining('a batch of more than 1000 messages: "[{},{},'),
      expect.stringContaining("JSON values"),
    ]);
  });

  it("reads a batch of fewer, however long it is, and a message with a long list", () => {
    const { push, messages, diagnostics } = open(mebibyte);
    const large = { jsonrpc: "2.0", method: "large", params: { text: "x".repeat(2000) } };
    push(`${JSON.stringify(Array.from({ length: 400 }, () => large))}\n`);
    push(`${JSON.stringify({ ...large, params: { list: Array.from({ length: 50_000 }, () => ({})) } })}\n`);
    expect(messages).toHaveLength(401);
    expect(diagnostics).toEqual([]);
  });

  it("gives up a batch that does not end", () => {
    const { push, endless } = open(100_000);
    push(`[${"{},".repeat(1_000_000)}`);
    expect(endless()).toBeGreaterThan(0);
  });
});
