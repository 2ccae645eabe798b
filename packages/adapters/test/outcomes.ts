import type { JsonObject, ToolDefinition, ToolOutcome } from "@hostside/core";
import { readContent } from "@hostside/core";
import { present, presentError, type ResultPresenter } from "@hostside/results";
import type { ToolSource } from "../src/declare/tool-source.ts";

const origin = { serverId: "s", toolName: "t", qualifiedName: "mcp::s::t" };

/** What a server answered, as a provider gives it. */
export function outcomeOf(raw: JsonObject): ToolOutcome {
  const { structuredContent } = raw;
  return {
    content: readContent(raw["content"]),
    isError: raw["isError"] === true,
    origin,
    raw,
    ...(structuredContent !== undefined && { structuredContent }),
  };
}

/** A picture of one dot. */
export const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const image = { type: "image", data: png, mimeType: "image/png" };
const boom = { content: [{ type: "text", text: "boom" }, image], structuredContent: { code: 7 } };

/** One result of each kind that an API may choke on. */
export const results = {
  success: boom,
  error: { ...boom, isError: true },
  structuredOnly: { content: [], structuredContent: { code: 7 } },
  structuredTwice: { content: [{ type: "text", text: '{"code": 7}' }], structuredContent: { code: 7 }, isError: true },
  imageOnly: { content: [image] },
  imageError: { content: [image], isError: true },
  audio: { content: [{ type: "audio", data: "UklGRg==", mimeType: "audio/wav" }] },
  link: { content: [{ type: "resource_link", uri: "file:///a.txt", name: "a" }] },
  pdf: {
    content: [{ type: "resource", resource: { uri: "file:///a", blob: "JVBERi0=", mimeType: "application/pdf" } }],
  },
  unknownKind: { content: [{ type: "hologram", data: "x" }] },
  nothing: { content: [] },
} satisfies Record<string, JsonObject>;

/** A definition of a tool that takes anything. */
export function definitionOf(name: string, more: Partial<ToolDefinition> = {}): ToolDefinition {
  return { name, description: `Does ${name}.`, inputSchema: { type: "object", properties: {} }, ...more };
}

/** A call that arrived. */
export interface ArrivedCall {
  readonly name: string;
  readonly args: unknown;
}

/** A source whose tools answer with the results of their names. */
export function resultSource(): ToolSource & { readonly calls: ArrivedCall[] } {
  const calls: ArrivedCall[] = [];
  const definitions = Object.keys(results).map((name) => definitionOf(name));
  return {
    calls,
    tools: () => definitions,
    async call(name, args) {
      calls.push({ name, args });
      const raw = new Map<string, JsonObject>(Object.entries(results)).get(name);
      if (raw === undefined) throw new Error("no such result");
      return outcomeOf(raw);
    },
  };
}

const types = ["image/png", "image/jpeg", "image/webp", "image/gif", "audio/*", "application/pdf"];

/** A presenter that lets PDF files through, too. */
export const withFiles: ResultPresenter = {
  present: (outcome) => present(outcome, "blocks", { media: { types } }),
  presentError: (error) => presentError(error, "blocks"),
};
