import { execFile } from "node:child_process";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { describe, expect, it } from "vitest";
import { ownProgram } from "../../src/cli/serving/print-entry.ts";
import { isServeEntry } from "../../src/cli/opening/self-entries.ts";
import { fakeTerminal } from "../fake-terminal.ts";
import { program, createWorkFolder } from "../terminal/work-folder.ts";

const npx = ["npx", "-y", "hostside"];

describe("ownProgram()", () => {
  it("is this Node and the file of a checkout, whatever led there", async () => {
    using terminal = fakeTerminal();
    const script = terminal.file("hostside/bin/hostside.js", "");
    const linked = join(terminal.cwd, "hostside-link");
    symlinkSync(script, linked);
    for (const path of [script, linked]) {
      expect(await ownProgram({ program: { node: "/usr/bin/node", script: path } })).toEqual(["/usr/bin/node", script]);
    }
  });

  it.each([
    { name: "the registry", given: "^1.0.0", expected: () => npx },
    { name: "a file", given: "file:/srv/hostside-1.0.0.tgz", expected: () => ["npx", "-y", "/srv/hostside-1.0.0.tgz"] },
    {
      name: "a file beside it",
      given: "file:../../hostside-1.0.0.tgz",
      expected: (cwd: string) => ["npx", "-y", join(cwd, "hostside-1.0.0.tgz")],
    },
  ])("is npx, where npx took it from $name", async ({ given, expected }) => {
    using terminal = fakeTerminal();
    terminal.file("_npx/0a1b/package.json", { dependencies: { hostside: given } });
    const script = join(terminal.cwd, "_npx/0a1b/node_modules/.bin/hostside");
    mkdirSync(join(script, ".."), { recursive: true });
    const words = await ownProgram({ program: { node: "/usr/bin/node", script } });
    expect(words).toEqual(expected(terminal.cwd));
    const [command, ...rest] = words;
    const args = [...rest, "serve"];
    expect(isServeEntry({ id: "x", type: "stdio", command: command ?? "", args })).toBe(true);
  });

  it("is npx where nothing is known of the process", async () => {
    expect(await ownProgram({ program: undefined })).toEqual(npx);
  });
});

it("what --print-config prints starts, from a checkout too", async () => {
  await using work = await createWorkFolder();
  const options = { cwd: work.folder, env: { ...work.env } };
  const args = [program, "serve", "--expose", "search", "--print-config", "cursor"];
  const { stdout } = await promisify(execFile)(process.execPath, args, options);
  const { mcpServers } = JSON.parse(stdout) as {
    readonly mcpServers: { readonly hostside: { readonly command: string; readonly args: string[] } };
  };
  const client = new Client({ name: "editor", version: "1.0.0" });
  await client.connect(new StdioClientTransport({ ...mcpServers.hostside, ...options, stderr: "ignore" }));
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toContain("tools_search");
  await client.close();
});
