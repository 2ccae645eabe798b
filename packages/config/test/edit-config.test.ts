import { editConfig, parseConfig, type ConfigData, type ConfigEdit } from "@hostside/config";
import type { ConfigPath } from "../src/parse/config-data.ts";
import fc from "fast-check";
import { applyEdits, createScanner, findNodeAtLocation, format, parseTree } from "jsonc-parser";
import { describe, expect, it } from "vitest";
import { test } from "../../../test/property-test.ts";

describe("editConfig()", () => {
  it.each<[string, string, ConfigEdit, string]>([
    [
      "behind the last member",
      `{\n  // all\n  "servers": {\n    "a": 1\n    // end\n  }\n}\n`,
      { path: ["servers", "b"], value: { c: ["-y"] } },
      `{\n  // all\n  "servers": {\n    "a": 1,\n    "b": {\n      "c": [\n        "-y"\n      ]\n    }\n    // end\n  }\n}\n`,
    ],
    [
      "with tabs, CRLF and a trailing comma as the others",
      `\uFEFF{\r\n\t"a": 1,\r\n}\r\n`,
      { path: ["b"], value: [{ c: 1 }] },
      `\uFEFF{\r\n\t"a": 1,\r\n\t"b": [\r\n\t\t{\r\n\t\t\t"c": 1\r\n\t\t}\r\n\t],\r\n}\r\n`,
    ],
    ["to an empty object", `{}`, { path: ["a", "b"], value: true }, `{\n  "a": {\n    "b": true\n  }\n}`],
    ["to an object of comments", `{\n  // none\n}`, { path: ["a"], value: 1 }, `{\n  "a": 1\n  // none\n}`],
    [
      "behind a member and the comment on its line",
      `{\n  "a": 1 // of a\n  // end\n}`,
      { path: ["b"], value: 2 },
      `{\n  "a": 1, // of a\n  "b": 2\n  // end\n}`,
    ],
    [
      "behind an object, a trailing comma and two comments",
      `{\n  "a": {\n    "x": 1\n  } /* of a */, // too\n}`,
      { path: ["b", "c"], value: 2 },
      `{\n  "a": {\n    "x": 1\n  }, /* of a */ // too\n  "b": {\n    "c": 2\n  },\n}`,
    ],
    [
      "to a list with a comment on its last line",
      `{\n  "a": [\n    1 // one\n  ]\n}`,
      { path: ["a", 1], value: 2 },
      `{\n  "a": [\n    1, // one\n    2\n  ]\n}`,
    ],
    [
      "below a block comment that is set in by one",
      `/*\n * all\n */\n{\n    "a": 1\n}`,
      { path: ["b"], value: { c: 2 } },
      `/*\n * all\n */\n{\n    "a": 1,\n    "b": {\n        "c": 2\n    }\n}`,
    ],
    ["to a blank text", ` \n`, { path: ["a"], value: 1 }, `{\n  "a": 1\n}\n`],
    ["to a list", `{\n  "a": [\n    1\n  ]\n}`, { path: ["a", 1], value: 2 }, `{\n  "a": [\n    1,\n    2\n  ]\n}`],
    ["as __proto__", `{}`, { path: ["__proto__", "b"], value: 1 }, `{\n  "__proto__": {\n    "b": 1\n  }\n}`],
  ])("adds %s", (...[, text, edit, after]) => {
    expect(editConfig(text, [edit])).toEqual({ text: after });
  });

  it.each<[string, string, ConfigPath, string]>([
    ["a member and its line", `{\n  "a": 1, // of a\n  "b": 2\n}`, ["b"], `{\n  "a": 1 // of a\n}`],
    ["the first", `{\n  "a": 1,\n  "b": 2\n}`, ["a"], `{\n  "b": 2\n}`],
    ["the last before a trailing comma", `{\n  "a": 1,\n  "b": 2,\n}`, ["b"], `{\n  "a": 1,\n}`],
    ["the only one", `{ "a": 1 }`, ["a"], `{ }`],
    ["from a line", `{"a": 1, "b": 2, "c": 3}`, ["b"], `{"a": 1, "c": 3}`],
    ["from the end of a line", `{"a": 1, "b": 2}`, ["b"], `{"a": 1}`],
    [
      "and no comment",
      `{\n  // of a\n  "a": 1 /* x */, // y\n  "b": 2\n}`,
      ["a"],
      `{\n  // of a\n  /* x */ // y\n  "b": 2\n}`,
    ],
    ["an item", `{ "a": [1, 2, 3] }`, ["a", 1], `{ "a": [1, 3] }`],
    ["__proto__", `{ "__proto__": { "x": 1 }, "b": 2 }`, ["__proto__"], `{ "b": 2 }`],
    ["nothing where there is nothing", `{ "a": {} } // x`, ["a", "b"], `{ "a": {} } // x`],
  ])("removes %s", (...[, text, path, after]) => {
    expect(editConfig(text, [{ path, value: undefined }])).toEqual({ text: after });
  });

  it.each<[string, string, ConfigPath, object]>([
    ["half a file", `{ "a": { "b": 1`, ["c"], { code: "invalid_syntax", line: 1, column: 16 }],
    ["two values", `{} {}`, ["c"], { code: "invalid_syntax", line: 1, column: 4 }],
    ["a list for an object", `{\n  "a": []\n}`, ["a", "b"], { code: "wrong_type", path: "a", line: 2, column: 8 }],
    ["a text for an object", `{ "a": "x" }`, ["a", "b"], { code: "wrong_type", path: "a" }],
    ["null for an object", `{ "a": null }`, ["a", "b"], { code: "wrong_type", path: "a" }],
    ["a list that is the whole", `[]`, ["a"], { code: "wrong_type", path: "" }],
    ["a place behind the end of a list", `{ "a": [1] }`, ["a", 3], { code: "wrong_type", path: "a" }],
    ["what is nested too deep", `{"a":${"[".repeat(100)}${"]".repeat(100)}}`, ["b"], { code: "too_deep" }],
  ])("changes nothing of %s, and says where it is", (...[, text, path, problem]) => {
    expect(editConfig(text, [{ path, value: 1 }], { file: "hostside.json" })).toMatchObject({
      problem: { file: "hostside.json", severity: "error", ...problem },
    });
  });

  it("changes nothing where a name stands twice", () => {
    const edited = editConfig(`{ "a": { "x": 1 }, "a": { "x": 2 } }`, [{ path: ["b"], value: 3 }]);
    expect(edited).toMatchObject({ problem: { code: "duplicate_key", path: "a" } });
  });

  it("makes all of the edits, or none", () => {
    const edits = [
      { path: ["a"], value: 1 },
      { path: ["a", "b"], value: 2 },
    ];
    expect(editConfig("{}", edits)).toMatchObject({ problem: { code: "wrong_type", path: "a" } });
  });

  it("refuses a path that names the whole", () => {
    expect(() => editConfig("{}", [{ path: [], value: 1 }])).toThrow(TypeError);
  });
});

const name = fc.constantFrom("a", "b", "10", "2", "__proto__", "constructor", "", "a b", "é\n");
const leaf = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null));
const { value } = fc.letrec((tie) => ({
  value: fc.oneof({ maxDepth: 4 }, leaf, tie("object"), fc.array(tie("value"), { maxLength: 3 })),
  object: fc.dictionary(name, tie("value"), { maxKeys: 4, noNullPrototype: true }),
}));
const root = fc.dictionary(name, value, { maxKeys: 4, noNullPrototype: true });
const layout = fc.record({
  tabs: fc.boolean(),
  eol: fc.constantFrom("\n", "\r\n"),
  lines: fc.boolean(),
  trailing: fc.boolean(),
  mark: fc.boolean(),
  seeds: fc.array(fc.nat(9), { minLength: 1, maxLength: 20 }),
});
type Layout = typeof layout extends fc.Arbitrary<infer T> ? T : never;

describe("whatever the text", () => {
  const edit = fc.record({
    path: fc.array(name, { minLength: 1, maxLength: 3 }),
    wanted: fc.option(value, { nil: undefined }),
  });
  test.prop([root, layout, edit], {
    numRuns: 400,
  })("an edit changes what it names alone, and comments stay", (data, how, { path, wanted }) => {
    const text = write(data, how);
    const before = parseConfig(text, { format: "json" });
    expect(before.problems).toEqual([]);
    const edited = editConfig(text, [{ path, value: wanted as never }]);
    if ("problem" in edited) {
      expect(edited.problem).toMatchObject({ severity: "error", code: "wrong_type" });
      return;
    }
    const after = parseConfig(edited.text, { format: "json" });
    expect(after.problems).toEqual([]);
    expect(after.data).toEqual(expectedAfter(before.data, path, wanted));
    expect(commentsIn(edited.text)).toEqual(commentsIn(without(text, path, wanted)));
    expect(edited.text.startsWith("\uFEFF")).toBe(how.mark);
    if (/[\r\n]/.test(text)) expect(edited.text.replaceAll(how.eol, "")).not.toMatch(/[\r\n]/);
  });
});

function write(data: object, { tabs, eol, lines, trailing, mark, seeds }: Layout): string {
  const compact = JSON.stringify(data);
  const options = { insertSpaces: !tabs, tabSize: 2, eol };
  const laid = lines ? applyEdits(compact, format(compact, undefined, options)) : compact;
  return `${mark ? "\uFEFF" : ""}${sprinkle(laid, { eol, trailing, seeds })}`;
}

// Comments behind commas, before closing brackets and around names; and trailing commas.
function sprinkle(text: string, how: Pick<Layout, "eol" | "trailing" | "seeds">): string {
  const scanner = createScanner(text);
  let written = "";
  let previous = 0;
  for (let kind: number = scanner.scan(), count = 0; kind !== 17; kind = scanner.scan(), count++) {
    const token = text.slice(scanner.getTokenOffset(), scanner.getTokenOffset() + scanner.getTokenLength());
    const seed = how.seeds[count % how.seeds.length] ?? 0;
    const closes = kind === 2 || kind === 4;
    const isFilled = previous !== 1 && previous !== 3 && previous !== 0;
    if (closes && how.trailing && isFilled) written = withComma(written);
    if (seed === 1) written += `/* ${count} */`;
    written += token;
    if (seed === 2 && kind !== 14) written += ` // ${count}${how.eol}`;
    if (kind < 12) previous = kind;
  }
  return written;
}

function withComma(text: string): string {
  const [space = ""] = /\s*$/.exec(text) ?? [];
  // Behind a comment that ends a line there is no place for one.
  return /\/\/[^\r\n]*\s*$/.test(text) ? text : `${text.slice(0, text.length - space.length)},${space}`;
}

function commentsIn(text: string): readonly string[] {
  const scanner = createScanner(text);
  const found: string[] = [];
  for (let kind: number = scanner.scan(); kind !== 17; kind = scanner.scan()) {
    const start = scanner.getTokenOffset();
    if (kind === 12 || kind === 13) found.push(text.slice(start, start + scanner.getTokenLength()));
  }
  return found;
}

// Comments inside of what is replaced or removed may go; where nothing is, or `null`, the text is
// as it was.
function without(text: string, path: readonly string[], wanted: unknown): string {
  const root = parseTree(text.replace("\uFEFF", " "), [], { allowTrailingComma: true });
  const value = root && findNodeAtLocation(root, [...path]);
  const node = wanted === undefined ? value?.parent : value;
  return node === undefined ? text : `${text.slice(0, node.offset)}0${text.slice(node.offset + node.length)}`;
}

function expectedAfter(data: ConfigData | undefined, path: readonly string[], wanted: unknown): ConfigData {
  const plain = data instanceof Map ? new Map<string, ConfigData>(data) : new Map<string, ConfigData>();
  const [part = "", ...rest] = path;
  const inner = plain.get(part);
  if (rest.length > 0) {
    if (wanted === undefined && !(inner instanceof Map)) return plain;
    plain.set(part, expectedAfter(inner, rest, wanted));
  } else if (wanted === undefined) plain.delete(part);
  else plain.set(part, parseConfig(JSON.stringify(wanted), { format: "json" }).data ?? null);
  return plain;
}
