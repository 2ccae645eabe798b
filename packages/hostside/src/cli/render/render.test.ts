import { describe, expect, it } from "vitest";
import { formatCount, formatDuration, formatNumber, formatTokens, renderJson } from "./print.ts";
import { cleanLines, terminalLine, shellLine } from "./render-text.ts";
import { cutToWidth, padToWidth, widthOf, wrapText } from "./text-width.ts";
import { renderTable } from "./render-table.ts";

const plain = (_: unknown, text: string): string => text;

describe("width", () => {
  it("counts columns, not units", () => {
    expect(widthOf("日本")).toBe(4);
    expect(widthOf("e\u0301")).toBe(1);
    expect(padToWidth("日本", 6)).toBe("日本  ");
    expect(padToWidth("7", 3, "right")).toBe("  7");
  });

  it("cuts between characters, never within one", () => {
    expect(cutToWidth("日本語", 5)).toBe("日本…");
    expect(cutToWidth("日本語", 4)).toBe("日…");
    expect(cutToWidth("👩‍👩‍👧 family", 4)).toBe("👩‍👩‍👧…");
    expect(cutToWidth("abc", 3)).toBe("abc");
    expect(cutToWidth("abcd", 0)).toBe("");
  });
});

describe("one line", () => {
  it("leaves no escape sequence, line feed or tab", () => {
    expect(terminalLine("\u001B[2J a\n\tb\u0007 \u202Ec")).toBe("a b c");
    expect(terminalLine("x".repeat(5000), 10)).toBe("xxxxxxxxx…");
  });

  it("cleans lines and drops blank ones at the ends", () => {
    expect(cleanLines("\n  \n a\u001B[31m \n\nb\n\n")).toEqual([" a", "", "b"]);
  });
});

describe("wrapping", () => {
  it("breaks between words, and in one that is wider than a line", () => {
    expect(wrapText("one two three", { width: 9 })).toEqual(["one two", "three"]);
    expect(wrapText("aaaaaaaaaaaaaaaaaaaa b", { width: 8 })).toEqual(["aaaaaaaa", "aaaaaaaa", "aaaa b"]);
    expect(wrapText("日本語日本語", { width: 9 })).toEqual(["日本語日", "本語"]);
  });

  it("keeps line feeds, and indents", () => {
    expect(wrapText("a\n\nb", { width: 20, indent: "  " })).toEqual(["  a", "", "  b"]);
    expect(wrapText("one two three", { width: 12, indent: "- ", hanging: "    " })).toEqual(["- one two", "    three"]);
  });
});

describe("amounts", () => {
  it("reads well", () => {
    expect([0.2, 8.4, 999, 1000, 9940, 75_000, 720_000, 3 * 3_600_000, 172_800_000].map(formatDuration)).toEqual([
      "0 ms",
      "8 ms",
      "999 ms",
      "1.0 s",
      "9.9 s",
      "75 s",
      "12 min",
      "3 h",
      "2 days",
    ]);
    expect([0, 987, 1000, 1234, 34_000, 999_600].map(formatNumber)).toEqual(["0", "987", "1K", "1.2K", "34K", "1M"]);
    expect([formatTokens(1), formatTokens(1234)]).toEqual(["~1 token", "~1.2K tokens"]);
    expect([formatCount(1, "tool"), formatCount(2, "entry", "entries")]).toEqual(["1 tool", "2 entries"]);
  });
});

describe("tables", () => {
  const layout = [{ least: 8 }, {}, { align: "right", optional: true }, { least: 10 }] as const;
  const rows = [
    ["files", "ready", "12 tools", "Reads and writes files in a folder that its user has named."],
    ["日本語のサーバー", "failed", "", "\u001B[2Jnobody\nlistens"],
  ];

  it.each([40, 80, 200])("is never wider than %i columns", (columns) => {
    const lines = renderTable(rows, { layout, columns, paint: plain });
    expect(Math.max(...lines.map(widthOf))).toBeLessThanOrEqual(columns);
    expect(lines.join("\n")).not.toContain("\u001B");
  });

  it("has the column with the most give way", () => {
    expect(renderTable(rows, { layout, columns: 40, paint: plain })).toEqual([
      "files       ready   12 tools  Reads and…",
      "日本語の…   failed            nobody li…",
    ]);
  });

  it("leaves out what is optional before it cuts to less than the least", () => {
    expect(renderTable(rows, { layout, columns: 30, paint: plain })).toEqual([
      "files       ready   Reads and…",
      "日本語の…   failed  nobody li…",
    ]);
  });

  it.each([1, 5, 20])("survives %i columns", (columns) => {
    const lines = renderTable(rows, { layout, columns, paint: plain });
    expect(lines).toHaveLength(2);
  });

  it("paints what was measured without colours, and no blanks", () => {
    const paint = (style: string, text: string): string => `<${style}>${text}</${style}>`;
    const lines = renderTable([[{ text: "a$&", style: "good" }, "b"]], { layout: [{}, {}], columns: 80, paint });
    expect(lines).toEqual(["<good>a$&</good>  b"]);
  });
});

describe("a command line", () => {
  it("quotes what a shell would take for something else, and nothing besides", () => {
    expect(shellLine(["hostside", "show", "my-server/a_tool", "~/mcp.json", "--a=~"])).toBe(
      "hostside show my-server/a_tool ~/mcp.json --a=~",
    );
    expect(shellLine(["it's", "", "$(rm)", "~root", "~", "=ls", "a b"])).toBe(
      String.raw`'it'\''s' '' '$(rm)' '~root' '~' '=ls' 'a b'`,
    );
    expect(shellLine(["a\u001B[2J\nb"])).toBe("'a b'");
  });
});

describe("JSON", () => {
  it("shows keys, and nothing that a terminal obeys", () => {
    const paint = (_: unknown, text: string): string => `<${text}>`;
    const value = { 'a":': "\u009B2J\u202E\u001B[31m\u{E0080}\u206A", b: [1] };
    expect(renderJson(value, { paint })).toEqual([
      "{",
      String.raw`  <"a\":">: "\u009b2J\u202e\u001b[31m\udb40\udc80\u206a",`,
      '  <"b">: [',
      "    1",
      "  ]",
      "}",
    ]);
    expect(JSON.parse(renderJson(value, { paint: plain }).join("\n"))).toEqual(value);
  });
});
