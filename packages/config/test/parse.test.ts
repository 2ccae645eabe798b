import { parseConfig } from "@hostside/config";
import { formatPath, type ConfigPath } from "../src/parse/config-data.ts";
import type { ConfigFormat } from "../src/parse/config-problem.ts";
import { describe, expect, it } from "vitest";

function place(text: string, format: ConfigFormat, path: ConfigPath): string | undefined {
  const position = parseConfig(text, { format }).positionOf(path);
  return position && `${position.line}:${position.column}`;
}

function codes(text: string, format: ConfigFormat = "json"): readonly string[] {
  return parseConfig(text, { format }).problems.map(
    ({ code, severity, line, column }) => `${severity} ${code} ${line}:${column}`,
  );
}

describe("parseConfig() of places", () => {
  it.each<[string, ConfigFormat]>([
    ['{\n  "a": {\n    "b": [1, "x"]\n  }\n}', "json"],
    ["a:\n  b:\n  - 1\n  - x\n", "yaml"],
    ["[a]\nb = [\n  1,\n  'x']\n", "toml"],
  ])("knows where each value and its name stand: %j", (text, format) => {
    const parsed = parseConfig(text, { format });
    const value = parsed.positionOf(["a", "b", 1]);
    const name = parsed.positionOf(["a", "b"], "name");
    expect(text.slice(value?.offset).replace(/^["']/, "")).toMatch(/^x/);
    expect(text.slice(name?.offset).replace(/^["']/, "")).toMatch(/^b/);
  });

  it("counts lines with any line break, and no byte order mark", () => {
    expect(place('\uFEFF{"a": 1}', "json", ["a"])).toBe("1:7");
    expect(place('{\r\n"a":\r1,\n"b": 2}', "json", ["b"])).toBe("4:6");
  });

  it("names the last part of a path that is there", () => {
    expect(place('{"a": {"b": 1}}', "json", ["a", "c", "d"])).toBe("1:7");
  });

  it("keeps tables of TOML together, wherever they are", () => {
    const text = '[s.a]\nx = 1\n[s."b.c"]\nx = 2\n[s.a.env]\nK = "v"\n[[s.list]]\ny = 1\n[[s.list]]\ny = 2\n';
    expect(place(text, "toml", ["s", "a", "env", "K"])).toBe("6:5");
    expect(place(text, "toml", ["s", "b.c", "x"])).toBe("4:5");
    expect(place(text, "toml", ["s", "list", 1, "y"])).toBe("10:5");
  });
});

describe("parseConfig() of names", () => {
  it.each<[string, ConfigFormat]>([
    ['{"10": 1, "__proto__": {"x": 1}, "2": 3, "constructor": 4}', "json"],
    ["10: 1\n__proto__: {x: 1}\n2: 3\nconstructor: 4", "yaml"],
    ["10 = 1\n__proto__ = {x = 1}\n2 = 3\nconstructor = 4", "toml"],
  ])("keeps names that look like something else, in their order: %j", (text, format) => {
    const { data } = parseConfig(text, { format });
    expect(data).toBeInstanceOf(Map);
    expect([...(data as Map<string, unknown>).keys()]).toEqual(["10", "__proto__", "2", "constructor"]);
    expect(({} as Record<string, unknown>)["x"]).toBeUndefined();
  });

  it("quotes in paths what is no plain name", () => {
    expect(formatPath(["mcpServers", "a b", "args", 0])).toBe('mcpServers["a b"].args[0]');
    expect(formatPath(["mcpServers", "my-server_1", "env", "TOKEN"])).toBe("mcpServers.my-server_1.env.TOKEN");
  });
});

describe("parseConfig() of bad input", () => {
  it.each<[string, ConfigFormat, readonly string[]]>([
    ["", "json", ["warning empty_file 1:1"]],
    ["\uFEFF \n", "yaml", ["warning empty_file 1:1"]],
    ['{"a": 1, // c\n}', "json", []],
    ['{"a": 1, "a": 2}', "json", ["warning duplicate_key 1:10"]],
    ["a: 1\na: 2", "yaml", ["warning duplicate_key 2:1"]],
    ["[a]\nb = 1\nb = 2", "toml", ["error invalid_syntax 3:1"]],
    ["a: &x\n  b: *x", "yaml", ["error cyclic_alias 2:6"]],
    ["a: *nobody", "yaml", ["error invalid_syntax 1:4"]],
  ])("%j as %s", (text, format, expected) => {
    expect(codes(text, format)).toEqual(expected);
  });

  it("does not read 10 MB of JSON, and says so", () => {
    const text = `{"mcpServers": {"a": {"command": "${"x".repeat(10 * 1024 * 1024)}"}}}`;
    expect(codes(text)).toEqual(["error too_large 1:1"]);
  });

  it.each<[string, ConfigFormat]>([
    ["[".repeat(100_000), "json"],
    ["[".repeat(20_000), "yaml"],
    [`a = ${"[".repeat(50_000)}${"]".repeat(50_000)}`, "toml"],
    [`a = ${"[".repeat(100)}${"]".repeat(100)}`, "toml"],
    [`${"a.".repeat(1000)}b = 1`, "toml"],
    [Array.from({ length: 200 }, (_, depth) => `${" ".repeat(depth)}a:`).join("\n"), "yaml"],
  ])("does not follow what nests too deep (%#)", (text, format) => {
    expect(parseConfig(text, { format }).problems.some(({ code }) => code === "too_deep")).toBe(true);
  });

  it("says one thing of what is no UTF-8, such as UTF-16", () => {
    const text = Buffer.from('\uFEFF{"mcpServers": {}}', "utf16le").toString("utf8");
    expect(parseConfig(text, { format: "json" }).problems).toEqual([
      expect.objectContaining({ code: "invalid_syntax", line: 1, fix: "save the file as UTF-8" }),
    ]);
  });

  it("warns of what is no UTF-8 and is read all the same, such as a file in Latin-1", () => {
    const text = Buffer.from('{\n"mcpServers": {"caf\u00e9": {"command": "a\u00e9"}}}', "latin1").toString("utf8");
    const { problems } = parseConfig(text, { format: "json" });
    const [problem] = problems;
    expect(problem).toMatchObject({
      code: "invalid_syntax",
      severity: "warning",
      line: 2,
      fix: "save the file as UTF-8, or leave the character out",
    });
    expect(problems).toHaveLength(1);
    const good = parseConfig('{"mcpServers": {"caf\u00e9": {"command": "a"}}}', { format: "json" });
    expect(good.problems).toEqual([]);
  });

  it("says that there is more than one document", () => {
    const { problems, data } = parseConfig("a:\n  b: 1\n---\nc: 2\n", { format: "yaml" });
    const message = "begins a second document, which is not read";
    expect(problems).toEqual([expect.objectContaining({ message, line: 3, severity: "warning" })]);
    expect(data).toEqual(new Map([["a", new Map([["b", 1]])]]));
  });

  it.each<[string, ConfigFormat, string]>([
    [`{"a": [${"1 ".repeat(50_000)}]}`, "json", "1:10"],
    ['{"s": {"a": {"x": 1}, "b": {"y": [1, }, "c": {"z": 3}}', "json", "1:38"],
    ["[s.a]\nx = 1\n[s.b]\ny =\n[s.b.env]\nk = 1\n", "toml", "5:1"],
    ["s:\n  a: 1\n  b: [\n", "yaml", "4:1"],
  ])("reads nothing of a broken text, and says where the first fault is (%#)", (text, format, first) => {
    const { data, problems } = parseConfig(text, { format });
    expect(data).toBeUndefined();
    expect(problems.map(({ line, column }) => `${line}:${column}`)).toEqual([first]);
  });

  it.each<[string, ConfigFormat]>([
    ["s:\n  a:\n    key: hunter2: b: c\n", "yaml"],
    ["s: {a: b}\n hunter2\n", "yaml"],
    ["s:\n  a:\n    key: &hunter2\n    b: *hunter3\n", "yaml"],
    ["s:\n  a:\n  - b\n  } hunter2", "yaml"],
    ['{"s": {"a": {"key" "hunter2": 1}}}', "json"],
    ["[s.a]\nkey = hunter2\n", "toml"],
  ])("shows nothing that may be a value of %j", (text, format) => {
    const { problems } = parseConfig(text, { format });
    expect(problems.some(({ severity }) => severity === "error")).toBe(true);
    expect(JSON.stringify(problems)).not.toContain("hunter2");
  });

  it("does not follow a billion laughs", () => {
    const levels = Array.from({ length: 12 }, (_, level) =>
      level === 0
        ? "l0: &l0 [lol, lol]"
        : `l${level}: &l${level} [${Array(9)
            .fill(`*l${level - 1}`)
            .join(", ")}]`,
    );
    const { problems } = parseConfig(levels.join("\n"), { format: "yaml" });
    expect(problems.map(({ code }) => code)).toEqual(["too_many_entries"]);
  });

  it.each([
    ["numbers", "[", " 1"],
    ["texts", "[", ' "a"'],
    ["members", "{", ' "a": 1'],
    ["what is no JSON", "", "x "],
    ["comments that end in nothing", "", "/*"],
  ])(
    "counts values that lack the comma between them, so that a file of nothing else costs no minute: %s",
    (_, open, one) => {
      const { problems } = parseConfig(`${open}${one.repeat(1_000_000)}`, { format: "json" });
      expect(problems.map(({ code }) => code)).toEqual(["too_many_entries"]);
    },
  );
});
