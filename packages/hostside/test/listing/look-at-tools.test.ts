import { fixtureServer } from "@hostside/fixtures";
import { estimateDefinitionTokens } from "@hostside/discovery";
import { afterAll, describe, expect, it } from "vitest";
import { renderTool, toolFactsOf } from "../../src/cli/calling/show-tool.ts";
import { renderFound } from "../../src/cli/listing/search-tools.ts";
import { widthOf } from "../../src/cli/render/text-width.ts";
import { fakeTerminal, runIn } from "../fake-terminal.ts";

const view = { columns: 60, paint: (_: unknown, text: string): string => text };
const hostile = "\u001B[2J\u202Eevil\u0007";
const definition = {
  name: "mcp_a_b",
  description: `Does it.\n\n${hostile} ${"word ".repeat(40)}`,
  inputSchema: { type: "object", properties: { [hostile]: { type: "string" } } },
  annotations: { readOnlyHint: true },
  origin: { serverId: "a", toolName: hostile, qualifiedName: "mcp::a::b" },
  groupIds: ["mcp:a"],
  flags: ["ansi", "bidi"] as const,
};

describe("a tool as lines", () => {
  it.each([40, 60, 200])(
    "fits in %i columns where its schema does, and has nothing that a terminal obeys",
    (columns) => {
      const lines = renderTool(toolFactsOf(definition, { explain: () => `On offer.\n${hostile}` }), {
        ...view,
        columns,
      });
      expect(lines.join("\n")).not.toMatch(/[\u0000-\u0009\u000B-\u001F\u007F-\u009F\u202E]/u);
      const prose = lines.filter((line) => !line.startsWith("  hostside call"));
      for (const line of prose) expect({ line, fits: widthOf(line) <= columns }).toEqual({ line, fits: true });
      expect(lines.join(" ").replaceAll(/\s+/g, " ")).toContain("odd ansi");
    },
  );

  it("has the tokens that its definition costs, and the sentences of the policy", () => {
    const facts = toolFactsOf(definition, { explain: () => "One.\nTwo." });
    expect(facts).toMatchObject({
      tokens: estimateDefinitionTokens(definition),
      rules: ["One.", "Two."],
      effect: "external",
    });
  });
});

describe("what a search found", () => {
  it("is said to be nothing, in lines that fit", () => {
    for (const line of renderFound({ query: hostile, tools: [], totalTools: 3 }, view)) {
      expect(widthOf(line)).toBeLessThanOrEqual(60);
      expect(line).not.toContain("\u001B");
    }
  });
});

describe("hostside show and search", () => {
  const terminal = fakeTerminal();
  afterAll(() => terminal[Symbol.dispose]());
  const config = terminal.file("c.json", { mcpServers: { good: fixtureServer("modern-stdio") } });
  const run = (...argv: readonly string[]) => runIn(terminal, [...argv, "--config", config, "--quiet"]);

  it("show a tool by any of its names", async () => {
    const { code, out } = await run("show", "good/describe-number");
    expect(code).toBe(0);
    expect(out).toMatch(/^mcp_good_describe_number {2}good\/describe-number\nDescribe a number\n[^]*--value <integer>/);
    expect(out).toContain("Its effect is external, because nothing names a milder one.");
    const json = await run("show", "describe-number", "--json");
    expect(JSON.parse(json.out)).toMatchObject({
      definition: {
        name: "mcp_good_describe_number",
        inputSchema: { type: "object" },
        outputSchema: { type: "object" },
      },
      server: "good",
      tool: "describe-number",
      fingerprint: expect.stringMatching(/^sha256-/),
    });
    expect(await run("show", "good/describe-numbers")).toMatchObject({ code: 2, out: "" });
  });

  it("find what a model would find", async () => {
    const { code, out } = await run("search", "adds", "numbers", "--limit", "2");
    expect(code).toBe(0);
    expect(out).toMatch(/^mcp_good_add .*Adds two numbers\.\n.*\n$/);
    expect(await run("search", "qqqq")).toMatchObject({ code: 1, out: expect.stringMatching(/^Nothing found/) });
    expect(JSON.parse((await run("search", "mcp_good_echo", "--json")).out)).toMatchObject({
      query: "mcp_good_echo",
      tools: expect.arrayContaining([expect.objectContaining({ name: "mcp_good_echo" })]),
    });
  });
});
