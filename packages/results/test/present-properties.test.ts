import fc from "fast-check";
import { present, type PresentOptions } from "@hostside/results";
import { describe, expect } from "vitest";
import { test } from "../../../test/property-test.ts";
import { outcomeOf, png } from "./outcomes.ts";

// Lone surrogates, delimiters, and what looks like words of ours are likely.
const oddText = fc.oneof(
  fc.string({ unit: "binary", maxLength: 40 }),
  fc
    .array(
      fc.constantFrom("\uD83D", "\uDE00", "\u{1F600}", "é", "a", "\n", "\u27E6", "\u27E7end\u27E7", "{", '"', "[1]"),
      {
        maxLength: 30,
      },
    )
    .map((parts) => parts.join("")),
  fc
    .tuple(fc.constantFrom("x", "\u{1F600}", "\uD800", "\u27E6"), fc.nat(30_000))
    .map(([unit, times]) => unit.repeat(times)),
);
const oddData = fc.oneof(fc.base64String({ maxLength: 60 }), oddText, fc.constant(png));
const oddType = fc.constantFrom("image/png", "IMAGE/JPG", "audio/wav", "text/html", "", "\uD800/x", "image/*");
const block = fc.oneof(
  fc.record({ type: fc.constant("text"), text: oddText }),
  fc.record({ type: fc.constantFrom("image", "audio"), data: oddData, mimeType: oddType }),
  fc.record({ type: fc.constant("resource_link"), uri: oddText, name: oddText, description: oddText }),
  fc.record({ type: fc.constant("resource"), resource: fc.record({ uri: oddText, text: oddText }) }),
  fc.record({ type: fc.constant("resource"), resource: fc.record({ uri: oddText, blob: oddData, mimeType: oddType }) }),
  fc.record({ type: oddText }),
  fc.anything(),
);
const outcome = fc
  .record(
    {
      content: fc.array(block, { maxLength: 12 }),
      structuredContent: fc.anything({ withBigInt: true }),
      isError: fc.boolean(),
    },
    { requiredKeys: ["content"] },
  )
  .map(outcomeOf);
const options: fc.Arbitrary<PresentOptions> = fc.record(
  {
    maxTextBytes: fc.integer({ min: 1024, max: 40_000 }),
    maxBlocks: fc.integer({ min: 1, max: 20 }),
    delimiters: fc.constant(true),
    media: fc.record({ maxItems: fc.nat(2) }),
  },
  { requiredKeys: [] },
);

function textsOf(blocks: readonly { readonly type: string; readonly text?: string }[]): readonly string[] {
  return blocks.flatMap((one) => (one.type === "text" && one.text !== undefined ? [one.text] : []));
}

describe("present() of any outcome", () => {
  test.prop([outcome, options], { numRuns: 60 })(
    "never throws, gives no empty and no ill-formed text, and keeps its bounds",
    (odd, given) => {
      const { blocks } = present(odd, "blocks", given);
      const texts = textsOf(blocks);
      expect(blocks.length).toBeGreaterThan(0);
      expect(texts.every((one) => one.trim() !== "" && one.isWellFormed())).toBe(true);
      expect(Buffer.byteLength(texts.join(""))).toBeLessThanOrEqual(given.maxTextBytes ?? 32 * 1024);
      expect(blocks.length - texts.length).toBeLessThanOrEqual(given.media?.maxItems ?? 8);
    },
  );

  test.prop([outcome, options], { numRuns: 40 })("as a text it keeps them as well", (odd, given) => {
    const text = present(odd, "text", given);
    expect(text.isWellFormed()).toBe(true);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(given.maxTextBytes ?? 32 * 1024);
  });

  test.prop([outcome], { numRuns: 60 })(
    "between marks no text has a mark, and no text of a server's stands outside of them",
    (odd) => {
      const { blocks, structured } = present(odd, "blocks", { delimiters: true });
      expect(structured).toBeUndefined();
      const open = `\u27E6server "github", tool "get_issue"\u27E7\n`;
      const close = "\n\u27E6end\u27E7";
      for (const one of blocks) {
        if (one.type !== "text") continue;
        const isOurs = one.part === "notice";
        const inside = isOurs ? one.text : one.text.slice(open.length, one.text.indexOf(close));
        expect(inside).not.toMatch(/[\u27E6\u27E7\u301A\u301B]/);
        expect(isOurs || one.text.startsWith(open)).toBe(true);
        const after = isOurs ? "" : one.text.slice(one.text.indexOf(close) + close.length);
        expect(after).toMatch(/^(?:\n\[\d+ of \d+ characters are not shown, [^\n]*\])?$/);
      }
    },
  );

  test.prop([outcome], { numRuns: 60 })("the other forms never throw either", (odd) => {
    expect(present(odd, "text").isWellFormed()).toBe(true);
    expect(present(odd, "envelope").output.server_id).toBe("github");
  });

  test.prop([fc.anything()], { numRuns: 60 })("what is no outcome at all gives a notice", (value) => {
    expect(present(value as never, "blocks").blocks.length).toBeGreaterThan(0);
  });

  test.prop([fc.array(oddText, { minLength: 1, maxLength: 6 }), fc.integer({ min: 1024, max: 4000 })], { numRuns: 40 })(
    "what is shown of a text is its beginning, and what is missing is counted",
    (values, maxTextBytes) => {
      const { blocks } = present(outcomeOf({ content: values.map((text) => ({ type: "text", text })) }), "blocks", {
        maxTextBytes,
      });
      const shown = values.filter((one) => /\S/.test(one));
      textsOf(blocks).forEach((one, index) => {
        const marker = /\n\[(\d+) of (\d+) characters are not shown, from character (\d+) on; [^\n]*\]$/.exec(one);
        if (marker === null) return;
        const [, missing, all, from] = marker.map(Number);
        const whole = shown[index] ?? "";
        expect([missing, all]).toEqual([whole.length - Number(from), whole.length]);
        expect(one.slice(0, marker.index)).toBe(whole.slice(0, from).toWellFormed());
        expect(whole.slice(0, from).endsWith("\uD83D") && whole.startsWith("\uDE00", from)).toBe(false);
      });
    },
  );
});
