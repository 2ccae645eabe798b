import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { fakeTerminal, runIn, type FakeTerminal } from "../fake-terminal.ts";

// A repository may have a file of any such name.
const hostile = "x\u001B[2J\u009B1A\u202E\u0007\r\nerror: no problems\n.yaml";

function writeAll(terminal: FakeTerminal): void {
  const write = (path: string, text: string): void => {
    const file = join(terminal.cwd, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  };
  write(`.continue/mcpServers/${hostile}`, `mcpServers: [{ name: "a\\e[2J", command: x }, { name: b, comand: y }, 1]`);
  write(`.continue/mcpServers/broken-${hostile}`, "mcpServers: [");
  write(`.continue/mcpServers/folder-${hostile}/x`, "");
  write(`dir ${hostile.replaceAll("/", "")}/hostside.json`, "[");
}

describe("names of files and servers", () => {
  it.each([
    ["doctor"],
    ["doctor", "--verbose"],
    ["list"],
    ["list", "--verbose"],
    ["trust"],
    ["trust", "--list"],
    ["show", "a"],
    ["init"],
    ["call", "a/x"],
    ["--config", `dir ${hostile}/hostside.json`, "list"],
    ["--config", `none ${hostile}`, "doctor"],
    [hostile],
  ])("reach a terminal as nothing that it obeys: %s", async (...words) => {
    using terminal = fakeTerminal();
    writeAll(terminal);
    const { out, err } = await runIn(terminal, words);
    expect(out + err).not.toMatch(/(?!\n)[\p{Cc}\u202E]/u);
    expect(out + err).not.toMatch(/^error: no problems/m);
  });
});
