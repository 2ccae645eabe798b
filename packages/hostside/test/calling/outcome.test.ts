import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { HostsideError, readContent, type JsonObject, type ToolDefinition, type ToolOutcome } from "@hostside/core";
import { expect, it, onTestFinished } from "vitest";
import { signatureOf, toolPage } from "../../src/cli/calling/describe-parameters.ts";
import { assertComplete, exitCodeOfCall, describeProgress } from "../../src/cli/calling/call-tool.ts";
import { showOutcome } from "../../src/cli/calling/show-outcome.ts";
import { widthOf } from "../../src/cli/render/text-width.ts";
import { fakeTerminal, type FakeTerminal } from "../fake-terminal.ts";

const origin = { serverId: "s", toolName: "../../etc/x", qualifiedName: "mcp::s::x" };
const definition: ToolDefinition = { name: "mcp_s_x", description: "", inputSchema: { type: "object" }, origin };
const escape = "\u001B[2Jred\u202E\u009B1m";

function outcomeOf(result: JsonObject): ToolOutcome {
  const { content = [], structuredContent, isError = false } = result;
  const structured = structuredContent === undefined ? {} : { structuredContent };
  return { content: readContent(content), ...structured, isError: isError === true, origin, raw: result };
}

function stage(isLive = false): FakeTerminal {
  const terminal = fakeTerminal({ isLive });
  onTestFinished(() => terminal[Symbol.dispose]());
  return terminal;
}

async function show(result: JsonObject, terminal: FakeTerminal = stage()): Promise<number> {
  return showOutcome({ outcome: outcomeOf(result), definition, ms: 1 }, { terminal, options: {} });
}

it("lets no escape sequence of a result reach a terminal, and leaves a pipe what can be seen", async () => {
  const result = { content: [{ type: "text", text: escape }], structuredContent: { key: escape, more: 1 } };
  const [screen, pipe] = [stage(true), stage()];
  await show(result, screen);
  await show(result, pipe);
  expect(screen.written.out).toMatch(/^red1?m?\n\{/);
  expect(screen.written.out).not.toMatch(/[\u001B\u009B\u202E]/);
  expect(pipe.written.out.startsWith(`${escape.replace("\u202E", "")}\n{\n`)).toBe(true);
});

it("shows structured content where no text says the same, and links", async () => {
  const link = { type: "resource_link", uri: "file:///a", name: "a" };
  const terminal = stage();
  expect(await show({ content: [link], structuredContent: { a: 1 }, isError: true }, terminal)).toBe(1);
  expect(terminal.written.out).toBe('Resource: file:///a\nName: a\n{\n  "a": 1\n}\n');
  const same = stage();
  await show({ content: [{ type: "text", text: '{"a":1}' }], structuredContent: { a: 1 } }, same);
  expect(same.written.out).toBe('{"a":1}\n');
  const wrapped = stage();
  await show({ content: [{ type: "text", text: "a\n" }], structuredContent: { result: "a\n" } }, wrapped);
  expect(wrapped.written.out).toBe("a\n");
  const more = stage();
  await show({ content: [{ type: "text", text: "a" }], structuredContent: { result: "a", next: 2 } }, more);
  expect(more.written.out).toContain('"next": 2');
});

it("saves bytes under names of its own, for this user alone, whatever the server calls them", async () => {
  const data = Buffer.from("no picture").toString("base64");
  const terminal = stage();
  await show(
    {
      content: [
        { type: "resource", resource: { uri: "file:///../../x.sh", mimeType: "application/x-sh", blob: data } },
        { type: "audio", data, mimeType: "audio/wav" },
        { type: "image", data, mimeType: "image/png" },
        { type: "image", data: "%%%", mimeType: "image/png" },
      ],
    },
    terminal,
  );
  const folder = join(terminal.cwd, "hostside-output");
  const names = ["mcp_s_x-1.bin", "mcp_s_x-1.wav"];
  expect(readdirSync(folder).toSorted()).toEqual(names);
  expect(names.map((name) => statSync(join(folder, name)).mode & 0o777)).toEqual([0o600, 0o600]);
  expect(terminal.written.err.match(/^saved /gm)).toHaveLength(2);
  expect(terminal.written.err).toContain("not shown");
});

it.each([
  [{ progress: 1, total: 3, message: `a\n${escape}` }, "33 %  a red"],
  [{ progress: 9, total: 3 }, "100 %"],
  [{ progress: 7, total: 0 }, "7"],
])("describes the progress %j in one line", (progress, line) => {
  expect(describeProgress(progress)).toBe(line);
});

it("exits with 1 for whatever broke a call that was sent", () => {
  const codeOf = (init: ConstructorParameters<typeof HostsideError>[1]): number =>
    exitCodeOfCall(new HostsideError("x", init));
  expect(codeOf({ code: "connection_closed", outcome: "unknown" })).toBe(1);
  expect(codeOf({ code: "connection_closed", outcome: "not-sent" })).toBe(4);
  expect(codeOf({ code: "auth_required", outcome: "failed" })).toBe(5);
  expect(codeOf({ code: "aborted", outcome: "unknown" })).toBe(3);
});

const schema: JsonObject = {
  type: "object",
  properties: {
    [escape]: { type: "string", description: escape },
    deep: { type: "object", properties: { n: { type: "integer" } }, required: ["n"] },
    mode: { enum: ["a", "b"], default: "b" },
  },
  required: ["deep", "mode"],
};
const tool: ToolDefinition = { ...definition, description: escape, inputSchema: schema };

it("names the required arguments that are missing", () => {
  expect(() => assertComplete({ mode: "a" }, tool, "")).toThrow("missing: --deep");
  expect(() => assertComplete({ deep: {}, mode: "a" }, tool, "")).not.toThrow();
});

it.each([40, 80])("shows every parameter on the page of a tool, in %i columns", (columns) => {
  const inputSchema: JsonObject = {
    type: "object",
    properties: {
      bare: { type: "string" },
      長い: { type: "integer", description: "How many of them there are to be, at the most." },
      choice: { enum: Array.from({ length: 20 }, (_, at) => `choice number ${at}`), description: "One of many." },
    },
  };
  const page = toolPage({ ...definition, inputSchema }, { columns });
  expect(page).toContain("  --bare <string>");
  expect(page.find((line) => line.includes("長い"))).toMatch(/^ {2}.*--長い.* <integer> +How/);
  expect(page.join(" ")).toMatch(/choice\s+number 11.*One of\s+many\./);
  // Commands are whole, so that they can be copied.
  const text = page.slice(0, page.indexOf("Example:"));
  expect(text.filter((line) => widthOf(line) > columns)).toEqual([]);
});

it.each<[JsonObject, string]>([
  [{ type: "object" }, "It names no arguments, and takes any."],
  [{ type: "object", additionalProperties: false }, "It takes no arguments."],
  [{ type: "object", properties: "of no use", additionalProperties: false }, "It takes no arguments."],
])("says what a tool without parameters takes: %j", (inputSchema, line) => {
  expect(toolPage({ ...definition, inputSchema }, { columns: 80 })).toContain(line);
});

it("prints of a result as JSON nothing that a terminal obeys, and the same value", async () => {
  const terminal = stage(true);
  const outcome = outcomeOf({ content: [{ type: "text", text: escape }] });
  await showOutcome({ outcome, definition, ms: 1 }, { terminal, options: { json: true } });
  expect(terminal.written.out).not.toMatch(/[\u001B\u009B\u202E]/);
  expect(JSON.parse(terminal.written.out).outcome.content[0].text).toBe(escape);
});

it("shows a hostile schema without its escape sequences", () => {
  const page = [...toolPage(tool, { columns: 80 }), signatureOf(tool)].join("\n");
  expect(page).not.toMatch(/[\u001B\u009B\u202E]/);
  expect(page).toContain('--mode <"a" | "b">');
  expect(page).toContain('(required, default "b")');
});
