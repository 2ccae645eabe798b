import { dialectNames, expandConfig, parseConfig, readConfig, type DialectName } from "@hostside/config";
import type { ConfigFormat } from "../src/parse/config-problem.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { test } from "../../../test/property-test.ts";

const formats: readonly ConfigFormat[] = ["json", "yaml", "toml"];
const words = [
  "{",
  "}",
  "[",
  "]",
  ",",
  ":",
  '"',
  "'",
  "\n",
  "\r\n",
  " ",
  "\t",
  "- ",
  "# c",
  "// c",
  "/*",
  "*/",
  "&a ",
  "*a",
  "<<: ",
  "|",
  ">",
  "\uFEFF",
  "\\",

  "mcpServers",
  "servers",
  "mcp",
  "mcp_servers",
  "context_servers",
  "toolsets",
  "extensions",
  "inputs",
  "a",
  "b",
  "__proto__",
  "10",

  "command",
  "args",
  "env",
  "url",
  "headers",
  "type",
  "transport",
  "timeout",
  "stdio",
  "http",
  "${A}",
  "${file:x}",
  "$A",
  "=",
  ".",
  "1",
  "true",
  "null",
];
const soup = fc.array(fc.constantFrom(...words), { maxLength: 60 }).map((parts) => parts.join(""));
const text = fc.oneof(soup, fc.string({ unit: "binary", maxLength: 100 }));
const dialect = fc.constantFrom(...dialectNames);

// Configurations with the members that dialects have, mostly of their types, and where the dialect
// has its servers.
const roots: Readonly<Record<DialectName, readonly string[]>> = {
  hostside: ["servers"],
  "mcp-json": ["mcpServers"],
  "claude-code": ["mcpServers"],
  "claude-desktop": ["mcpServers"],
  cursor: ["mcpServers"],
  vscode: ["servers"],
  codex: ["mcp_servers"],
  gemini: ["mcpServers"],
  windsurf: ["mcpServers"],
  zed: ["context_servers"],
  cline: ["mcpServers"],
  roo: ["mcpServers"],
  continue: ["mcpServers"],
  opencode: ["mcp"],
  goose: ["extensions"],
  "amazon-q": ["mcpServers"],
  mcporter: ["mcpServers"],
  evva: ["mcpServers"],
  nexo: ["mcp", "servers"],
  anda: ["servers"],
  adk: ["toolsets"],
};
const someText = fc.constantFrom(
  "x",
  "",
  "https://a.example.com",
  "${A}",
  "${UNSET:-b}",
  "${file:x}",
  "${env:A} {env:A} $A",
  "__proto__",
);
const anything = fc.constantFrom(
  1,
  -1,
  null,
  true,
  "x",
  [],
  [1],
  ["x"],
  {},
  { a: { b: 1 } },
  { __proto__: null, clientId: "x" },
);
const mostly = <T>(right: fc.Arbitrary<T>): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 12, arbitrary: right }, { weight: 1, arbitrary: anything });
const texts = mostly(fc.array(someText, { maxLength: 3 }));
const textMap = mostly(fc.dictionary(fc.constantFrom("A", "X-B", "__proto__"), someText, { noNullPrototype: true }));
const flag = mostly(fc.boolean());
const command = mostly(fc.constantFrom("server", "${A}/server", "docker"));
const url = mostly(fc.constantFrom("https://a.example.com/mcp", "https://${A}.example.com", "http://b.example.com"));
const transportWord = mostly(fc.constantFrom("stdio", "http", "sse", "streamable_http", "local", "remote"));
const process = fc.record(
  { type: fc.constant("stdio"), command, args: texts, env: textMap },
  { requiredKeys: ["type", "command"] },
);
const entry = fc
  .record(
    {
      id: someText,
      name: someText,
      command,
      cmd: command,
      url,
      uri: url,
      args: texts,
      env: textMap,
      headers: textMap,
      environment: textMap,
      type: transportWord,
      transport: mostly(process),
      stdio: mostly(process),
      cwd: someText,
      timeout: mostly(fc.integer({ min: -1, max: 700 })),
      disabled: flag,
      enabled: flag,
      trust: flag,
      tools: anything,
      oauth: anything,
      auth: anything,
      limits: anything,
      timeouts: anything,
      confirmation: anything,
      approval: anything,
      env_vars: texts,
      env_keys: texts,
      include: texts,
      exclude: texts,
      allow: texts,
      deny: texts,
      autoApprove: texts,
      envFile: someText,
    },
    { requiredKeys: [], noNullPrototype: true },
  )
  // Few have all of that: what is left out decides which way a dialect goes.
  .chain((whole) => fc.subarray(Object.keys(whole)).map((kept) => keep(whole, kept)));
const oneWay = fc.tuple(entry, fc.constantFrom("stdio", "http", "nested", "as it is")).map(([one, way]) => {
  if (way === "stdio")
    return {
      ...one,
      command: "server",
      cmd: "server",
      url: undefined,
      uri: undefined,
      transport: undefined,
      type: undefined,
    };
  if (way === "http")
    return { ...one, url: "https://a.example.com", command: undefined, cmd: undefined, transport: undefined };
  return way === "nested" ? { transport: { type: "stdio", command: "server" }, stdio: { command: "server" } } : one;
});
const servers = fc.oneof(
  fc.dictionary(fc.constantFrom("a", "A", "b", "", "__proto__", "10"), oneWay, { noNullPrototype: true }),
  fc.array(oneWay, { maxLength: 3 }),
);

function keep(whole: object, kept: readonly string[]): object {
  return Object.fromEntries(Object.entries(whole).filter(([name]) => kept.includes(name)));
}

describe("whatever the text", () => {
  test.prop([text, fc.constantFrom(...formats)], { numRuns: 150 })(
    "parsing ends, and places are within it",
    (written, format) => {
      const parsed = parseConfig(written, { format });
      const lines = written.replace(/^\uFEFF/, "").split(/\r\n|\n|\r/);
      for (const { line = 0, column = 0 } of parsed.problems) {
        expect(line).toBeGreaterThanOrEqual(1);
        expect(line).toBeLessThanOrEqual(lines.length);
        expect(column).toBeGreaterThanOrEqual(1);
        expect(column).toBeLessThanOrEqual((lines[line - 1]?.length ?? 0) + 2);
      }
    },
  );

  test.prop([text, dialect, fc.constantFrom(...formats)], { numRuns: 150 })(
    "every dialect reads it",
    (written, name, format) => {
      const { servers: found, problems } = readConfig(written, { dialect: name, format });
      expect(new Set(found.map(({ id }) => id)).size).toBe(found.length);
      expect(problems.length).toBeLessThan(200);
    },
  );
});

describe("whatever the entries", () => {
  let expanded = 0;

  test.prop([servers, dialect], { numRuns: 150 })(
    "they are read and expanded without an exception",
    async (entries, name) => {
      const data = roots[name].toReversed().reduce<unknown>((inner, part) => ({ [part]: inner }), entries);
      const fromText = readConfig(JSON.stringify(data), { dialect: name, format: "json" });
      const fromData = readConfig(data as object, { dialect: name });
      expect(fromText.servers.map(({ draft }) => draft)).toEqual(fromData.servers.map(({ draft }) => draft));
      for (const server of fromText.servers) {
        const { spec, problems } = await expandConfig(server, { env: { A: "a" } });
        expect(spec === undefined).toBe(problems.some(({ severity }) => severity === "error"));
        if (spec !== undefined) expanded++;
      }
    },
  );

  it("has read many servers", () => {
    expect(expanded).toBeGreaterThan(20);
  });
});
