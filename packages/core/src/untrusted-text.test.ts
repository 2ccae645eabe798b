import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cpuSecondsOf } from "../../../test/cpu-seconds.ts";
import { cleanText, dropUnseen, inspectText, replaceUnseen, truncateText } from "./text.ts";

// Pieces that matter to the functions, put together in any order, lone halves of pairs included.
const pieces = [
  "\u001B|\u009B|[31m|]0;title|\u0007|\u001B\\|[|m|\r|\n|\t|\0|\u0085|\u2028|\u202E|\u2066|\u200B|\u200D|\uFE0F|\uFE00|\u3164",
  "\uDB40|\uDC41|\uDD00|\uD83D|\uDE00|a|é|日|😀| |…",
].flatMap((row) => row.split("|"));
const hostile = fc.oneof(
  fc.array(fc.constantFrom(...pieces), { maxLength: 40 }).map((parts) => parts.join("")),
  fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 40 }).map((units) => String.fromCharCode(...units)),
);

describe("inspectText()", () => {
  it.each([
    ["plain text", "Reads a file.\n\tTwo lines.\r\n", []],
    ["other scripts, emoji and joiners", "日本語 العربية 👩‍💻 ❤️ نمی‌خواهم", []],
    ["a colour", "\u001B[31mred\u001B[0m", ["ansi", "control"]],
    ["a C1 sequence", "\u009B31mred", ["ansi", "control"]],
    ["a terminal title", "\u001B]0;title\u0007", ["ansi", "control"]],
    ["a NUL", "a\0b", ["control"]],
    ["a carriage return that overwrites the line", "harmless\revil", ["control"]],
    ["a line separator", "a\u2028b", ["control"]],
    ["an override", "\u202Eelif_daer", ["bidi"]],
    ["a zero-width space", "a\u200Bb", ["invisible"]],
    ["a Hangul filler", "\u3164", ["invisible"]],
    ["a byte order mark", "\uFEFFa", ["invisible"]],
    ["bytes hidden in variation selectors", "😀\u{E0148}\u{E0155}", ["invisible"]],
    ["bytes hidden in what is not given to anything", "a\u{E0080}\u{E0FFF}", ["invisible"]],
    ["a deprecated format character", "a\u206Ab", ["invisible"]],
    ["tag characters", "a\u{E0041}\u{E0042}", ["tag"]],
    ["half a pair", "a\uD800b", ["lone-surrogate"]],
    [
      "everything",
      "\u001B[0m\0\u202E\u200B\u{E0041}\uD800",
      ["ansi", "control", "bidi", "invisible", "tag", "lone-surrogate"],
    ],
  ])("finds in %s: %j", (_, text, flags) => {
    expect(inspectText(text)).toEqual(flags);
    expect(inspectText(text)).toEqual(flags);
  });
});

describe("cleanText()", () => {
  it.each([
    ["keeps line feed and tab", "a\n\tb", "a\n\tb"],
    ["makes every line end a line feed", "a\r\nb\rc\r\r\nd", "a\nb\nc\n\nd"],
    [
      "drops escape sequences whole",
      "\u001B[1;31mred\u001B[0m \u001B]8;;https://x\u0007link\u001B]8;;\u001B\\",
      "red link",
    ],
    ["drops of an unterminated sequence the introducer alone", "\u001B]0;the rest of the log", "0;the rest of the log"],
    ["drops controls, overrides, invisible and tag characters", "a\0\u202Eb\u200B\u{E0041}c\u{E0148}", "abc"],
    ["replaces lone surrogates", "a\uD800b", "a\uFFFDb"],
    ["never joins two halves of a pair by dropping what is between", "\uDB40\u{E0041}\uDC41", "\uFFFD\uFFFD"],
    ["keeps joiners and emoji", "👩‍💻 ❤️", "👩‍💻 ❤️"],
  ])("%s", (_, text, clean) => {
    expect(cleanText(text)).toBe(clean);
  });

  it("leaves nothing that Unicode shows as nothing, but for what joins letters and emoji", () => {
    const left: string[] = [];
    for (let code = 0; code <= 0x10_ff_ff; code += 1) {
      const character = String.fromCodePoint(code);
      if (!/\p{Default_Ignorable_Code_Point}/u.test(character) || cleanText(`a${character}b`) === "ab") continue;
      left.push(code.toString(16));
    }
    expect(left).toEqual(["200c", "200d", "fe0f"]);
  });

  it("drops of every character what the pattern of Unicode's properties drops, and nothing else", () => {
    const hidden = /[\p{Default_Ignorable_Code_Point}\uFFF9-\uFFFB](?<![\u200C\u200D\uFE0F])/gu;
    const all = Array.from({ length: 0x11_00_00 }, (_, point) => String.fromCodePoint(point)).join("");
    const pairs = Array.from(all).toReversed().join("").toWellFormed();
    for (const text of [all, pairs]) expect(dropUnseen(text) === text.toWellFormed().replace(hidden, "")).toBe(true);
  });

  it("cuts at maxLength, the ellipsis included, and only then", () => {
    expect(cleanText("abcdef", 6)).toBe("abcdef");
    expect(cleanText("abcdefg", 6)).toBe("abcde…");
    expect(cleanText("abc\0\0\0\0def", 6)).toBe("abcdef");
  });

  it("says that it cut, also when little is left of what it looked at", () => {
    expect(cleanText(`${"\0".repeat(1000)}text`, 10)).toBe("…");
    expect(cleanText(`ab${"\0".repeat(1000)}text`, 10)).toBe("ab…");
  });

  it("is clean, within the bound, well-formed, and stays as it is when cleaned again", () => {
    fc.assert(
      fc.property(hostile, fc.integer({ min: 1, max: 50 }), (text, maxLength) => {
        const clean = cleanText(text);
        expect(inspectText(clean)).toEqual([]);
        expect(clean).not.toContain("\r");
        expect(cleanText(clean)).toBe(clean);
        const short = cleanText(text, maxLength);
        expect(short.length).toBeLessThanOrEqual(maxLength);
        expect(inspectText(short)).toEqual([]);
      }),
      { numRuns: 3000 },
    );
  });

  it("changes nothing in a text without anything odd", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        fc.pre(inspectText(text).length === 0);
        expect(cleanText(text)).toBe(text.replaceAll("\r\n", "\n"));
      }),
    );
  });
});

describe("replaceUnseen()", () => {
  it("replaces each character that cleanText() drops or takes for another, and no other", () => {
    const wrong: string[] = [];
    for (let code = 0; code <= 0x10_ff_ff; code += 1) {
      const character = String.fromCodePoint(code);
      const isKept = cleanText(`a${character}b`) === `a${character}b`;
      if (replaceUnseen(`a${character}b`, () => "?") !== (isKept ? `a${character}b` : "a?b"))
        wrong.push(code.toString(16));
    }
    expect(wrong).toEqual([]);
  });

  it("hands a pair of surrogates over as one character, and each lone one", () => {
    const found: string[] = [];
    const text = replaceUnseen("\u{E0041}\uD800 plain \uDC41", (character) => `<${found.push(character)}>`);
    expect(text).toBe("<1><2> plain <3>");
    expect(found).toEqual(["\u{E0041}", "\uD800", "\uDC41"]);
  });
});

describe("truncateText()", () => {
  it.each([
    ["abc", 3, "abc"],
    ["abcd", 3, "ab…"],
    ["abc", 1, "…"],
    ["abc", 0, ""],
    ["", 0, ""],
    ["a😀b", 3, "a…"],
    ["a😀b", 4, "a😀b"],
    ["😀😀", 3, "😀…"],
  ])("cuts %j at %d to %j", (text, maxLength, short) => {
    expect(truncateText(text, maxLength)).toBe(short);
  });

  it("never makes a lone surrogate", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom("a", "é", "😀") }), fc.nat(20), (text, maxLength) => {
        const short = truncateText(text, maxLength);
        expect(short.isWellFormed()).toBe(true);
        expect(short.length).toBeLessThanOrEqual(Math.max(maxLength, 0));
      }),
    );
  });
});

describe("a lot of hostile text", () => {
  type Text = (units: number) => string;
  const unit =
    (piece: string): Text =>
    (units) =>
      piece.repeat(Math.ceil(units / piece.length));
  const texts: readonly (readonly [string, Text])[] = [
    ["escapes without end", unit("\u001B[")],
    ["one sequence without end", (units) => `\u001B[${unit("0")(units)}`],
    ["parameters and intermediates", (units) => `\u001B[${unit("0")(units)}${unit(" ")(units)}`],
    ["titles without end", unit("\u001B]")],
    ["one title without end", (units) => `\u001B]${unit("a")(units)}`],
    ["C1 sequences without end", unit("\u009B0;")],
    ["carriage returns", unit("\r")],
    ["halves of tags", unit("\uDB40")],
    ["tags", unit("\u{E0041}")],
    ["selectors", unit("\uFE00")],
    ["plain text", unit("a")],
  ];

  // Half a million units take far below a tenth of a second of a small machine's time; a match that
  // is quadratic would take minutes.
  it.each(texts)("is inspected and cleaned in linear time: %s", async (_, write) => {
    const text = write(500_000);
    let cleaned = text;
    const seconds = await cpuSecondsOf(() => {
      inspectText(text);
      cleaned = cleanText(text);
    });
    expect(cleaned.length).toBeLessThanOrEqual(text.length);
    expect(seconds).toBeLessThan(5);
  });

  it.each(texts)("costs next to nothing when a short piece is wanted: %s", async (_, write) => {
    const text = write(5_000_000);
    const lengths = new Set<number>();
    const cleanOften = (): void => {
      for (let times = 0; times < 1000; times += 1) lengths.add(cleanText(text, 200).length);
    };
    expect(await cpuSecondsOf(cleanOften)).toBeLessThan(5);
    expect(Math.max(...lengths)).toBeLessThanOrEqual(200);
  });
});
