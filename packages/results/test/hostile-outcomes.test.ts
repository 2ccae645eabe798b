import type { ToolOutcome } from "@hostside/core";
import { createMemorySink, createResults, present } from "@hostside/results";
import { describe, expect, it } from "vitest";
import { cpuSecondsOf } from "../../../test/cpu-seconds.ts";
import { outcomeOf, png, text } from "./outcomes.ts";

const throwing = (): never => {
  throw new Error("looked at");
};

/** Arrays in arrays, 100,000 deep. */
function deep(): unknown {
  let value: unknown = [];
  for (let level = 0; level < 100_000; level += 1) value = [value];
  return value;
}

function expectNotice(odd: unknown): void {
  const none = odd as ToolOutcome;
  expect(present(none, "blocks").blocks).toEqual([
    { type: "text", text: "[the tool returned nothing]", part: "notice" },
  ]);
  expect(present(none, "raw")).toEqual({});
  expect(present(none, "envelope").output.server_id).toBe("");
}

describe("present() of a hostile outcome", () => {
  it("says of structured content that is no JSON why it is not shown", () => {
    const cyclic: Record<string, unknown> = {};
    cyclic["self"] = cyclic;
    const hostile = [
      [cyclic, "it cannot be written as JSON"],
      [{ count: 1n }, "it cannot be written as JSON"],
      [{ toJSON: throwing }, "it cannot be written as JSON"],
      [Object.defineProperty({}, "x", { get: throwing, enumerable: true }), "it cannot be written as JSON"],
      [deep(), "it is nested too deeply"],
      [() => 1, "it is no JSON value"],
    ] as const;
    for (const [structuredContent, why] of hostile) {
      const { blocks, omitted, structured } = present(
        outcomeOf({ content: [text("ok")], structuredContent }),
        "blocks",
      );
      expect(blocks[1]).toEqual({ type: "text", text: `[structured content is not shown: ${why}]`, part: "notice" });
      expect(omitted).toEqual([{ kind: "structured", reason: "not-json", piece: { part: "structured" } }]);
      expect(structured).toBeUndefined();
    }
  });

  it("compares no text that is nested too deeply, and shows both", () => {
    const nested = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
    const { blocks } = present(
      outcomeOf({ content: [text(nested)], structuredContent: { a: "x".repeat(50_000) } }),
      "blocks",
    );
    expect(blocks.map((block) => block.type === "text" && block.part)).toEqual(["content", "structured"]);
  });

  it("takes what throws when it is looked at for no block, and keeps the others", () => {
    const content = [
      Object.defineProperty({ type: "text" }, "text", { get: throwing, enumerable: true }),
      new Proxy({}, { ownKeys: throwing }),
      { type: "resource", resource: new Proxy({}, { ownKeys: throwing, get: throwing }) },
      null,
      7,
      text("still here"),
    ];
    const { blocks, omitted } = present(outcomeOf({ content }), "blocks");
    expect(blocks.at(-1)).toEqual({ type: "text", text: "still here", part: "content" });
    expect(omitted.every(({ reason }) => reason === "unknown-kind")).toBe(true);
    expect(omitted).toHaveLength(5);
  });

  it("reads each member once, so that none is another one afterwards", () => {
    let reads = 0;
    const block = Object.defineProperty({ type: "text" }, "text", {
      get: () => ((reads += 1) === 1 ? "first" : 7n),
      enumerable: true,
    });
    expect(present(outcomeOf({ content: [block] }), "blocks").blocks[0]).toMatchObject({ text: "first" });
    expect(reads).toBe(1);
  });

  it("is a notice for what is no outcome at all", () => {
    expect.hasAssertions();
    for (const odd of [undefined, null, 7, "text", [], new Proxy({}, { get: throwing })]) expectNotice(odd);
  });

  it("says that there is something where the content is no list, or cannot be looked at", () => {
    for (const content of ["a text", { type: "text", text: "a" }, new Proxy([], { get: throwing })]) {
      const { blocks } = present({ ...outcomeOf({}), content } as unknown as ToolOutcome, "blocks");
      expect(blocks).toEqual([
        { type: "text", text: "[a block is not shown: it is no block of content]", part: "notice" },
      ]);
    }
  });

  it("never throws for proxies that were revoked, wherever they are", async () => {
    const { proxy, revoke } = Proxy.revocable<never[]>([], {});
    revoke();
    const odd = { ...outcomeOf({}), content: proxy, raw: proxy, meta: proxy, structuredContent: proxy };
    const outcome = odd as unknown as ToolOutcome;
    expect(present(outcome, "blocks").blocks).toHaveLength(1);
    expect(present(outcome, "raw")).toEqual({});
    expect(present(outcome, "envelope").output).toMatchObject({ content: [], structured_content: null, _meta: null });
    expect(await createResults({ sink: createMemorySink() }).present(outcome)).toMatchObject({ isError: false });
  });

  it("joins no more than may be shown: all together may be too long for a text", async () => {
    const large = text("x".repeat(27 * 1024 * 1024));
    const outcome = outcomeOf({ content: Array.from({ length: 20 }, () => large) });
    expect(present(outcome, "text").length).toBeLessThan(33_000);
    const kept = await createResults({ sink: createMemorySink(), maxBlocks: 1 }).present(
      outcomeOf({ content: [text("first"), ...outcome.content] }),
    );
    expect(kept.blocks.at(-1)).toMatchObject({ text: expect.stringContaining("it is larger than anything that is") });
  });

  it("looks at 1,000 blocks of a million, and counts the others", () => {
    const content = Array.from<unknown>({ length: 1_000_000 }).fill(text("one of many"));
    const { blocks, omitted } = present(outcomeOf({ content }), "blocks");
    expect(blocks).toHaveLength(1001);
    expect(blocks.at(-1)).toMatchObject({ text: "[999000 more parts of the result are not shown]", part: "notice" });
    expect(omitted).toEqual([{ kind: "result", reason: "too-many", piece: { part: "rest", from: 1000 } }]);
  });

  it("looks at no base64 that is far too large, and at no picture beyond the eighth", () => {
    const huge = { type: "image", mimeType: "image/png", data: "!".repeat(20_000_000) };
    const { blocks } = present(
      outcomeOf({ content: [huge, ...Array.from({ length: 9 }, () => ({ ...huge, data: png }))] }),
      "blocks",
    );
    expect(blocks[0]).toMatchObject({
      text: '[image of "image/png", 14.3 MiB is not shown: larger than the 5 MiB that are allowed]',
    });
    expect(blocks.filter(({ type }) => type === "image")).toHaveLength(8);
    expect(blocks.at(-1)).toMatchObject({
      text: '[image of "image/png", 70 bytes is not shown: a result may show 8 media]',
    });
  });

  it("takes time in proportion to the size: of a text, of structured content, of base64, and of many texts like JSON", async () => {
    const members = Object.fromEntries(Array.from({ length: 50_000 }, (_, index) => [`k${index}`, index]));
    const outcomes = [
      { content: [text("a\uD800".repeat(500_000))] },
      { content: [text("{")], structuredContent: { a: "x".repeat(1_000_000) } },
      { content: [{ type: "audio", mimeType: "audio/wav", data: "AAAA ".repeat(100_000) }] },
      { content: Array.from({ length: 1000 }, () => text('{"k0":0}')), structuredContent: members },
    ].map(outcomeOf);
    for (const outcome of outcomes)
      expect(await cpuSecondsOf(() => present(outcome, "blocks", { delimiters: true }))).toBeLessThan(5);
  });
});
