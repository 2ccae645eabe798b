import { describe, expect } from "vitest";
import { test } from "../../../test/property-test.ts";
import { createChatTools, createResponsesTools } from "../src/openai.ts";
import { oddResult, sourceOf } from "./odd-results.ts";
import { withFiles } from "./outcomes.ts";

const pictures = /^data:image\/(png|jpeg|webp|gif);base64,[A-Za-z0-9+/]+=*$/;
const fileName = /^[^\p{C}/]{1,300}\.pdf$/iu;
const files = /^data:application\/pdf;base64,[A-Za-z0-9+/]+=*$/;

function expectText(value: unknown): void {
  expect(typeof value === "string" && value !== "" && value.isWellFormed() && value.length < 40_000).toBe(true);
}

describe("whatever a server answers", () => {
  test.prop([oddResult], { numRuns: 60 })(
    "the Responses API gets parts that it takes, and at least one",
    async (raw) => {
      const mcp = createResponsesTools(sourceOf(raw), { presenter: withFiles });
      const call = { type: "function_call", call_id: "c", name: "t", arguments: "{}" } as const;
      const [answer] = await mcp.answer({ output: [call] });
      const output = answer?.output ?? [];
      if (typeof output === "string") return expectText(output);
      expect(output.length).toBeGreaterThan(0);
      for (const part of output) {
        if (part.type === "input_text") expectText(part.text);
        else if (part.type === "input_image") expect(part.image_url).toMatch(pictures);
        else {
          expect(part.file_data).toMatch(files);
          expect(part.filename).toMatch(fileName);
        }
      }
    },
  );

  test.prop([oddResult], { numRuns: 60 })("Chat Completions gets one text, and media behind it", async (raw) => {
    const mcp = createChatTools(sourceOf(raw), { presenter: withFiles });
    const call = { type: "function", id: "c", function: { name: "t", arguments: "{}" } } as const;
    const [answer, shown, ...more] = await mcp.answer({ tool_calls: [call] });
    expect(more).toEqual([]);
    expectText(answer?.content);
    for (const part of Array.isArray(shown?.content) ? shown.content : []) {
      if (part.type === "text") expectText(part.text);
      else if (part.type === "image_url") expect(part.image_url.url).toMatch(pictures);
      else expect(part.type === "file" && part.file.file_data).toMatch(files);
    }
  });
});
