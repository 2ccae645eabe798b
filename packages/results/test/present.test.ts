import { present } from "@hostside/results";
import { describe, expect, it } from "vitest";
import { outcomeOf, png, text } from "./outcomes.ts";

describe("present() of a promise", () => {
  it.each(["blocks", "text", "envelope", "raw"] as const)("is a TypeError that says what to do: as %s", (form) => {
    const promised = Promise.resolve(outcomeOf({})) as never;
    expect(() => present(promised, form as "text")).toThrow(
      new TypeError("present() takes an outcome, not a promise of one: await the outcome first"),
    );
  });
});

describe("present() as blocks", () => {
  it("shows texts, media and structured content, each once and in their order", () => {
    const outcome = outcomeOf({
      content: [text("boom"), { type: "image", mimeType: "image/png", data: png }],
      structuredContent: { code: 7 },
      isError: true,
    });
    expect(present(outcome, "blocks")).toEqual({
      blocks: [
        { type: "text", text: "boom", part: "content" },
        { type: "image", mimeType: "image/png", data: png, bytes: 70 },
        { type: "text", text: '{"code":7}', part: "structured" },
      ],
      isError: true,
      structured: { code: 7 },
      omitted: [],
      origin: outcome.origin,
    });
  });

  it("shows structured content once when a text says the same, in another order of members too", () => {
    const content = [text("see below"), text('{ "b": [1, 2], "a": null }')];
    const { blocks, structured } = present(outcomeOf({ content, structuredContent: { a: null, b: [1, 2] } }), "blocks");
    expect(blocks.map((block) => block.type === "text" && block.text)).toEqual([
      "see below",
      '{ "b": [1, 2], "a": null }',
    ]);
    expect(structured).toEqual({ a: null, b: [1, 2] });
  });

  it.each([
    ["It rains.\n", "It rains.\n"],
    ["5", "5"],
    ["5", 5],
    ["[ 1, 2 ]", [1, 2]],
    ["a\uD800b", "a\uD800b"],
  ])("shows structured content once when it is nothing but a wrapped result that a text says: %j", (text, result) => {
    const said = outcomeOf({ content: [{ type: "text", text }], structuredContent: { result } });
    expect(present(said, "blocks").blocks).toMatchObject([{ type: "text", part: "content" }]);
    expect(present(said, "blocks").structured).toBeDefined();
  });

  it.each(["content", "text"])("shows once what a server wraps as %s, as servers for files do", (name) => {
    const said = outcomeOf({ content: [text("line 1\nline 2")], structuredContent: { [name]: "line 1\nline 2" } });
    expect(present(said, "blocks").blocks).toMatchObject([{ type: "text", text: "line 1\nline 2" }]);
    expect(present(said, "blocks").structured).toEqual({ [name]: "line 1\nline 2" });
  });

  it.each([
    ["more than the text", { result: "It rains.", days: 2 }],
    ["another text", { result: "It rains.\n" }],
    ["a list", { result: ["It rains."] }],
    ["a name that says something", { warning: "It rains." }],
    ["an own result in the result", { result: { result: "It rains." } }],
  ])("shows structured content beside a text when it has %s", (_, structuredContent) => {
    const outcome = outcomeOf({ content: [{ type: "text", text: "It rains." }], structuredContent });
    expect(present(outcome, "blocks").blocks).toHaveLength(2);
  });

  it.each([
    ["in a member content", (content: unknown) => ({ content })],
    ["alone", (content: unknown) => content],
  ])("shows no structured content that is the blocks of the result again, %s", (_, wrap) => {
    const content = [text("a cat"), { type: "image", data: png, mimeType: "image/png" }];
    const again = [{ text: "a cat", type: "text" }, { ...content[1] }];
    const outcome = outcomeOf({ content, structuredContent: wrap(again) });
    const presented = present(outcome, "blocks");
    expect(presented.blocks).toMatchObject([
      { type: "text", text: "a cat" },
      { type: "image", data: png },
    ]);
    expect(presented).toMatchObject({ omitted: [] });
    expect(presented).not.toHaveProperty("structured");
    const refused = present(outcome, "blocks", { media: { maxItemBytes: 10 } });
    expect(refused.omitted).toMatchObject([{ kind: "image", reason: "too-large" }]);
    expect(JSON.stringify(refused)).not.toContain(png);
    expect(present(outcome, "text")).toBe("a cat\n\n[image: image/png, 70 bytes]");
  });

  it.each([
    ["a member more", [{ type: "image", data: png, mimeType: "image/png" }], { more: 1 }],
    ["another block", [{ type: "image", data: png, mimeType: "image/gif" }], {}],
    ["a block more", [{ type: "image", data: png, mimeType: "image/png" }, text("b")], {}],
  ])("shows structured content that is like the blocks of the result, with %s", (_, content, more) => {
    const image = { type: "image", data: png, mimeType: "image/png" };
    const outcome = outcomeOf({ content: [image], structuredContent: { content, ...more } });
    expect(present(outcome, "blocks").blocks).toMatchObject([{ type: "image" }, { part: "structured" }]);
  });

  it("shows an empty list, though there is no block either", () => {
    expect(present(outcomeOf({ structuredContent: [] }), "blocks").structured).toEqual([]);
  });

  it("shows structured content that is null, and keeps what the text does not say", () => {
    expect(present(outcomeOf({ structuredContent: null }), "blocks")).toMatchObject({
      blocks: [{ type: "text", text: "null", part: "structured" }],
      structured: null,
    });
    const differs = present(outcomeOf({ content: [text('{"a":1}')], structuredContent: { a: 2 } }), "blocks");
    expect(differs.blocks).toHaveLength(2);
  });

  it("says what it does not show, never shows _meta, and gives no empty block", () => {
    const presented = present(
      outcomeOf({
        content: [
          text("  \n"),
          { type: "video", url: "https://example.com", _meta: { hidden: "token" } },
          { type: "image", data: png },
          { type: "image", mimeType: "image/png", data: "no base64!" },
          { type: "image", mimeType: "image/tiff", data: png.slice(8) },
          { type: "resource_link", uri: "file:///a", name: "a", _meta: { hidden: "token" } },
          { type: "resource", resource: { uri: "file:///b", text: "body", _meta: { hidden: "token" } } },
        ],
      }),
      "blocks",
    );
    expect(presented.omitted.map(({ kind, reason }) => [kind, reason])).toEqual([
      ["video", "unknown-kind"],
      ["malformed:image", "unknown-kind"],
      ["image", "bad-base64"],
      ["image", "type-not-allowed"],
    ]);
    expect(presented.blocks.slice(4)).toEqual([
      { type: "text", text: "Resource: file:///a\nName: a", part: "link" },
      { type: "text", text: "Resource: file:///b\nbody", part: "resource" },
    ]);
    expect(JSON.stringify(presented)).not.toContain("token");
    expect(present(outcomeOf({}), "blocks").blocks).toEqual([
      { type: "text", text: "[the tool returned nothing]", part: "notice" },
    ]);
  });

  it("cuts a long text within the bound, and says how much is missing", () => {
    const { blocks, omitted } = present(
      outcomeOf({ content: [text("\u{1F600}".repeat(50_000)), text("short")] }),
      "blocks",
    );
    const [long, short] = blocks.map((block) => (block.type === "text" ? block.text : ""));
    expect(short).toBe("short");
    expect(long).toMatch(/^(?:\u{1F600})+\n\[\d+ of 100000 characters are not shown, from character \d+ on; .*\]$/u);
    expect(new TextEncoder().encode(`${long}${short}`).length).toBeLessThanOrEqual(32 * 1024);
    expect(omitted).toEqual([{ kind: "text", reason: "too-large", piece: { part: "block", index: 0 } }]);
  });
});
