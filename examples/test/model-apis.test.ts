import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import { AIMessage } from "@langchain/core/messages";
import { fakeModel } from "@langchain/core/testing";
import type { McpProvider } from "@hostside/provider";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { ask as askAnthropic } from "../src/frameworks/anthropic.ts";
import { ask as askGoogle } from "../src/frameworks/google.ts";
import { ask as askLangChain } from "../src/frameworks/langchain.ts";
import { conversationOf, startTwoServers, turns } from "./two-servers.ts";

let provider: McpProvider;
beforeAll(async () => {
  provider = await startTwoServers();
});
afterAll(() => provider.close());

interface Call {
  readonly name: string;
  readonly args: object;
}

/** An API whose model takes those turns, and what was sent to it. */
function fakeApi(answerTo: (turn: readonly Call[] | undefined) => object): {
  readonly fetch: typeof globalThis.fetch;
  readonly sent: string[];
} {
  const sent: string[] = [];
  const fetch: typeof globalThis.fetch = async (_url, init) => {
    sent.push(typeof init?.body === "string" ? init.body : "");
    return Response.json(answerTo(turns[sent.length - 1]));
  };
  return { fetch, sent };
}

function expectTurns(sent: readonly string[]): void {
  expect(sent).toHaveLength(3);
  expect(sent[0]).toContain('"tools_select"');
  expect(sent[0]).not.toContain("mcp_other_get_sum");
  expect(sent[1]).toMatch(/"name":"mcp_every_get_tiny_image","description"/);
  expect(sent[1]).toMatch(/"name":"mcp_other_get_sum","description"/);
  expect(sent[2]).toContain('"iVBOR');
  expect(sent[2]).toContain("The sum of 2 and 3 is 5.");
}

describe("the loop of a product with real servers", () => {
  it("finds tools, calls them and reads what they bring with Anthropic's API", async () => {
    const { fetch, sent } = fakeApi((turn) => ({
      role: "assistant",
      stop_reason: turn === undefined ? "end_turn" : "tool_use",
      content: turn?.map(({ name, args: input }, at) => ({ type: "tool_use", id: `toolu_${at}`, name, input })) ?? [
        { type: "text", text: "five" },
      ],
    }));
    const client = new Anthropic({ apiKey: "none", fetch, maxRetries: 0 });
    expect(await askAnthropic(client, conversationOf(provider), "go")).toMatchObject({ content: [{ text: "five" }] });
    expectTurns(sent);
    expect(sent[2]).toMatch(/"tool_use_id":"toolu_2","is_error":true/);
  });

  it("does so with Gemini", async () => {
    const { fetch, sent } = fakeApi((turn) => ({
      candidates: [
        {
          content: {
            role: "model",
            parts: turn?.map((functionCall) => ({ functionCall, thoughtSignature: "c2ln" })) ?? [{ text: "five" }],
          },
        },
      ],
    }));
    vi.stubGlobal("fetch", fetch);
    expect(await askGoogle(new GoogleGenAI({ apiKey: "none" }), conversationOf(provider), "go")).toBe("five");
    expectTurns(sent);
    expect(sent[2]).toMatch(/"name":"mcp_other_get_sum","response":\{"error":/);
    expect(sent[2]?.match(/"thoughtSignature":"c2ln"/g)).toHaveLength(4);
  });

  it("does so with a chat model of LangChain", async () => {
    const model = fakeModel();
    for (const turn of turns) model.respondWithTools(turn.map((call, at) => ({ ...call, id: `${call.name}_${at}` })));
    model.respond(new AIMessage("five"));
    const bound: string[] = [];
    const bindTools: typeof model.bindTools = (tools) => {
      bound.push(JSON.stringify(tools.map(({ name, description }) => ({ name, description }))));
      return model.bindTools(tools);
    };
    expect(await askLangChain({ bindTools }, conversationOf(provider), "go")).toBe("five");
    expectTurns(model.calls.map(({ messages }, at) => `${bound[at]} ${JSON.stringify(messages)}`));
    expect(JSON.stringify(model.calls[2]?.messages)).toMatch(/\[tool error\]/);
  });
});
