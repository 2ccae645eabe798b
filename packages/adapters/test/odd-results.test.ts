import type { ContentBlockParam, ToolResultBlockParam } from "@anthropic-ai/sdk/resources/messages";
import type { ResultPresenter } from "@hostside/results";
import { describe, expect, it } from "vitest";
import { test } from "../../../test/property-test.ts";
import { createAnthropicTools } from "../src/anthropic.ts";
import { createGoogleTools } from "../src/google.ts";
import { createLangChainTools } from "../src/langchain.ts";
import { oddResult, sourceOf } from "./odd-results.ts";
import { withFiles } from "./outcomes.ts";

const base64 = /^[A-Za-z0-9+/]+=*$/;

function expectText(value: unknown): void {
  expect(typeof value === "string" && value.trim() !== "" && value.isWellFormed() && value.length < 40_000).toBe(true);
}

function expectBlock(block: { readonly type: string }): void {
  if (block.type === "text") return expectText("text" in block ? block.text : undefined);
  const types = block.type === "image" ? /^image\/(jpeg|png|gif|webp)$/ : /^application\/pdf$/;
  expect(block).toMatchObject({
    type: expect.stringMatching(/^(image|document)$/),
    source: { type: "base64", media_type: expect.stringMatching(types), data: expect.stringMatching(base64) },
  });
}

const isResult = (block: ContentBlockParam): block is ToolResultBlockParam => block.type === "tool_result";

describe("whatever a server answers", () => {
  test.prop([oddResult], { numRuns: 60 })("Anthropic's API gets blocks that it takes, results first", async (raw) => {
    const mcp = createAnthropicTools(sourceOf(raw), { presenter: withFiles });
    const calls = ["a", "b"].map((id) => ({
      ...({ type: "tool_use", name: "t", input: {}, caller: { type: "direct" } } as const),
      id,
    }));
    const { content = [] } = (await mcp.answer({ content: calls })) ?? {};
    const results = content.filter(isResult);
    expect(results.map(({ tool_use_id: id }) => id)).toEqual(["a", "b"]);
    expect(content.slice(0, 2)).toEqual(results);
    for (const { content: blocks = [], is_error: failed = false } of results) {
      if (typeof blocks === "string") throw new Error("no blocks");
      expect(blocks.length).toBeGreaterThan(0);
      for (const block of blocks) expectBlock(block);
      if (failed) expect(blocks.every(({ type }) => type === "text")).toBe(true);
    }
    for (const block of content.slice(2)) expectBlock(block);
  });

  test.prop([oddResult], { numRuns: 60 })(
    "Gemini gets an output or an error that JSON and UTF-8 can carry",
    async (raw) => {
      const mcp = createGoogleTools(sourceOf(raw), { presenter: withFiles });
      const answer = await mcp.answer({ functionCalls: [{ name: "t" }] });
      expect(answer?.parts).toHaveLength(1);
      const { response = {}, parts = [] } = answer?.parts[0]?.functionResponse ?? {};
      expect(Object.keys(response)).toHaveLength(1);
      expect("output" in response || "error" in response).toBe(true);
      // JSON writes half of a surrogate pair as an escape, and a text of two such letters with two
      // backslashes.
      expect(JSON.stringify(response)).not.toMatch(/(?<!\\)\\u[dD][89a-fA-F]/);
      for (const { inlineData } of parts) {
        expect(inlineData?.mimeType).toMatch(/^(image\/(jpeg|png|webp)|application\/pdf)$/);
        expect(inlineData?.data).toMatch(base64);
      }
    },
  );

  it("gives Gemini as a text what is no value for it", async () => {
    const outputOf = async (structuredContent: unknown): Promise<unknown> => {
      const mcp = createGoogleTools(sourceOf({ content: [], structuredContent }));
      const answer = await mcp.answer({ functionCalls: [{ name: "t" }] });
      return answer?.parts[0]?.functionResponse?.response?.["output"];
    };
    expect(await outputOf({ half: "\uD83D" })).toEqual({ half: "\uFFFD" });
    const half = { type: "text", part: "structured", text: '{"half":"\\ud83d"}' } as const;
    const presenter: ResultPresenter = {
      ...withFiles,
      present: () => ({ blocks: [half], isError: false, omitted: [] }),
    };
    const own = createGoogleTools(sourceOf({ content: [] }), { presenter });
    const answered = await own.answer({ functionCalls: [{ name: "t" }] });
    expect(answered?.parts[0]?.functionResponse?.response?.["output"]).toBe(half.text);
    expect(await outputOf({ whole: "\u{1F600}" })).toEqual({ whole: "\u{1F600}" });
    const nested = (levels: number): unknown => JSON.parse("[".repeat(levels) + "]".repeat(levels));
    expect(await outputOf(nested(60))).toEqual(nested(60));
    expect(await outputOf(nested(200))).toBe("[".repeat(200) + "]".repeat(200));
  });

  test.prop([oddResult], { numRuns: 60 })("LangChain gets texts, or blocks of which some are texts", async (raw) => {
    const mcp = createLangChainTools(sourceOf(raw), { presenter: withFiles, media: ["image/png"] });
    const [message] = await mcp.answer({ tool_calls: [{ name: "t", args: {}, id: "c" }] });
    const content = message?.content ?? "";
    const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content;
    expect(blocks.length).toBeGreaterThan(0);
    for (const block of blocks) {
      if (block.type === "image")
        expect(block).toMatchObject({ mimeType: "image/png", data: expect.stringMatching(base64) });
      else
        expect(block.type === "text" && "text" in block && typeof block.text === "string" && block.text !== "").toBe(
          true,
        );
    }
    if (message?.status === "error") expect(content).toMatch(/^\[tool error\]/);
  });
});
