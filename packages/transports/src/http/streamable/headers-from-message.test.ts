import type { JsonObject } from "@hostside/core";
import { describe, expect, it } from "vitest";
import { encodeHeaderValue, envelopeVersionOf, protocolHeaders } from "../exchange/request-headers.ts";

const meta = { "io.modelcontextprotocol/protocolVersion": "2026-07-28" };
const modern = (method: string, params: object = {}): JsonObject => ({
  jsonrpc: "2.0",
  id: 1,
  method,
  params: { ...params, _meta: meta },
});

describe("protocolHeaders()", () => {
  it.each([
    ["server/discover", {}, undefined],
    ["tools/list", {}, undefined],
    ["tools/call", { name: "echo" }, "echo"],
    ["tools/call", { name: "größe" }, "=?base64?Z3LDtsOfZQ==?="],
    ["prompts/get", { name: "p" }, "p"],
    ["resources/read", { uri: "file:///x" }, "file:///x"],
    ["tools/call", { name: 7 }, undefined],
    ["constructor", { name: "x" }, undefined],
  ])("repeats method, name and revision of a modern %s", (method, params, name) => {
    expect(protocolHeaders(modern(method, params))).toEqual({
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": method,
      ...(name !== undefined && { "mcp-name": name }),
    });
  });

  it("says nothing about messages without the envelope, nor about answers", () => {
    expect(protocolHeaders({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "echo" } })).toBeUndefined();
    expect(protocolHeaders({ jsonrpc: "2.0", id: 1, result: {} })).toBeUndefined();
  });

  it.each([5, "2026\r\nX: 1", null])("does not take the revision %j for one", (version) => {
    const message = {
      jsonrpc: "2.0",
      id: 1,
      method: "x",
      params: { _meta: { [Object.keys(meta)[0] ?? ""]: version } },
    };
    expect(envelopeVersionOf(message as unknown as JsonObject)).toBeUndefined();
  });
});

describe("encodeHeaderValue()", () => {
  it.each([
    ["plain-name_1.2", "plain-name_1.2"],
    ["with space", "with space"],
    ["tab\there", "tab\there"],
    ["", "=?base64??="],
    [" lead", "=?base64?IGxlYWQ=?="],
    ["trail ", "=?base64?dHJhaWwg?="],
    ["line\r\nX-Evil: 1", "=?base64?bGluZQ0KWC1FdmlsOiAx?="],
    ["=?base64?eA==?=", "=?base64?PT9iYXNlNjQ/ZUE9PT89?="],
    ["日本", "=?base64?5pel5pys?="],
  ])("writes %j as %j", (text, expected) => expect(encodeHeaderValue(text)).toBe(expected));
});
