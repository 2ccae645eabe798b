import type { PresentedBlock } from "@hostside/results";
import { describe, expect, it } from "vitest";
import { createAnthropicTools } from "../src/anthropic.ts";
import { definitionOf, outcomeOf, results } from "./outcomes.ts";

const shown = async (blocks: readonly PresentedBlock[], isError = false): Promise<unknown> => {
  const source = { tools: () => [definitionOf("t")], call: async () => outcomeOf(results.nothing) };
  const presented = { blocks, isError, omitted: [] };
  const presenter = { present: () => presented, presentError: () => presented };
  const use = { type: "tool_use", id: "id", name: "t", input: {}, caller: { type: "direct" } } as const;
  const answer = await createAnthropicTools(source, { presenter }).answer({ content: [use] });
  return answer?.content;
};
const result = (content: readonly object[], more: object = {}): object => ({
  type: "tool_result",
  tool_use_id: "id",
  content,
  ...more,
});
const text = (value: string): PresentedBlock => ({ type: "text", part: "content", text: value });
const file = (data: string): PresentedBlock => ({ type: "file", mimeType: "text/plain", data, bytes: 1 });

describe("a tool_result", () => {
  it("has no blank text, which would be refused with the whole request", async () => {
    const blank = { type: "text", text: "(blank text)" };
    expect(await shown([text(" \n"), text("a"), text("\u00a0")])).toEqual([result([{ type: "text", text: "a" }])]);
    expect(await shown([text("\n")])).toEqual([result([blank])]);
    expect(await shown([text("\t")], true)).toEqual([result([blank], { is_error: true })]);
    expect(await shown([file("Cg==")])).toEqual([result([blank])]);
  });

  it("has a plain text as a document, read as UTF-8 whatever its bytes are", async () => {
    const document = (data: string): object => ({
      type: "document",
      source: { type: "text", media_type: "text/plain", data },
    });
    expect(await shown([file("w6Q=")])).toEqual([result([document("ä")])]);
    expect(await shown([file("/2E=")])).toEqual([result([document("\ufffda")])]);
  });

  it("has a notice for a picture of a type that the API does not take", async () => {
    const picture: PresentedBlock = { type: "image", mimeType: "image/tiff", data: "AA==", bytes: 1 };
    expect(await shown([picture])).toEqual([result([{ type: "text", text: expect.stringContaining("image/tiff") }])]);
  });
});
