import { describe, expect, it } from "vitest";
import { toOutcome } from "./to-outcome.ts";

const origin = { serverId: "s", toolName: "t", qualifiedName: "mcp::s::t" };
const text = { type: "text", text: "hello" };

describe("toOutcome()", () => {
  it("says whether the tool failed as the server said it, a failure included", () => {
    expect(toOutcome({ content: [], isError: true }, origin).isError).toBe(true);
    expect(toOutcome({ content: [], isError: false }, origin).isError).toBe(false);
  });

  it.each([{}, { isError: null }, { isError: "false" }, { isError: 0 }])("takes %j for no failure", (said) => {
    expect(toOutcome({ content: [], ...said }, origin)).toMatchObject({ isError: false, raw: said });
  });

  it.each([{ isError: "true" }, { isError: "yes" }, { isError: 1 }])("takes %j for a failure", (said) => {
    expect(toOutcome({ content: [], ...said }, origin)).toMatchObject({ isError: true, raw: said });
  });

  it("keeps content, structured content, `_meta` and the server's whole answer, with where it came from", () => {
    const raw = {
      content: [text, { type: "of tomorrow", more: [1] }],
      structuredContent: { a: null },
      _meta: { "acme/cost": 3 },
      isError: true,
      extra: 1,
    };
    expect(toOutcome(raw, origin)).toMatchObject({
      content: raw.content,
      structuredContent: { a: null },
      meta: { "acme/cost": 3 },
      origin,
    });
    expect(toOutcome(raw, origin).raw).toBe(raw);
  });

  it("tells structured content that is null from none", () => {
    expect(toOutcome({ content: [], structuredContent: null }, origin).structuredContent).toBeNull();
    expect(toOutcome({ content: [] }, origin)).not.toHaveProperty("structuredContent");
    expect(toOutcome({ content: [] }, origin)).not.toHaveProperty("meta");
  });

  it("does not pass a block without what its kind has off for one of that kind", () => {
    const raw = { content: [{ type: "text", text: null }, text] };
    expect(toOutcome(raw, origin).content).toEqual([{ type: "malformed:text", text: null }, text]);
    expect(toOutcome(raw, origin).raw).toEqual({ content: [{ type: "text", text: null }, text] });
  });

  it("has a text for a string, and a malformed block for what is no block", () => {
    const raw = { content: ["hello", null, text, { text: "no type" }], _meta: "no object" };
    const malformed = { type: "malformed:block", text: "no type" };
    expect(toOutcome(raw, origin)).toMatchObject({ content: [{ type: "text", text: "hello" }, text, malformed], raw });
    const { toolResult } = { toolResult: { a: 1 } };
    expect(toOutcome({ toolResult }, origin).content).toEqual([{ type: "text", text: '{"a":1}' }]);
    expect(toOutcome(raw, origin)).not.toHaveProperty("meta");
    expect(toOutcome({}, origin).content).toEqual([]);
  });
});
