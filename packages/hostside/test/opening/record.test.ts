import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fixtureServer } from "@hostside/fixtures";
import { parseRecording } from "@hostside/conformance/replay";
import { expect, it } from "vitest";
import { loadKit } from "../../src/cli/opening/open-recorded.ts";
import { fakeTerminal, runIn } from "../fake-terminal.ts";
import { smallServer } from "../serving/small-server.ts";

const notes = fixtureServer("modern-stdio");

function methodsOf(file: string): readonly string[] {
  const { events } = parseRecording(readFileSync(file, "utf8"));
  return events.map((event) => JSON.stringify(event)).flatMap((event) => /"method":"([^"]+)"/.exec(event)?.[1] ?? []);
}

it("records what a command says with its servers", async () => {
  using terminal = fakeTerminal();
  const file = join(terminal.cwd, "bug.jsonl");
  const config = terminal.file("hostside.json", {
    mcpServers: { notes: { command: notes.command, args: notes.args } },
  });
  expect((await runIn(terminal, ["--config", config, "--record", file, "list", "notes"])).code).toBe(0);
  expect(methodsOf(file)).toContain("tools/list");
});

it("masks what a call has under the names of secrets, and leaves places in lists alone", async () => {
  using terminal = fakeTerminal();
  const file = join(terminal.cwd, "bug.jsonl");
  const program = terminal.file("small.mjs", smallServer);
  const entry = { command: process.execPath, args: [program, "get_a"] };
  const config = terminal.file("hostside.json", { mcpServers: { small: entry } });
  const secrets = { token: "t-1", otp: "o-1", pin: 4711, userPin: "p-1", pass: "s-1", auth: "a-1", signature: "g-1" };
  const others = { "X-Signature": "x-1", set_cookie: "c-1", spin: "kept-1", nextPageToken: "kept-2", key: "kept-3" };
  const args = ["call", "small/get_a", "--yes", "--args", JSON.stringify({ ...secrets, ...others })];
  expect((await runIn(terminal, ["--config", config, "--record", file, ...args])).code).toBe(0);
  const recorded = readFileSync(file, "utf8");
  expect(recorded.match(/"[tospagxc]-1"|4711/g)).toBeNull();
  expect(recorded.match(/kept-\d/g)?.toSorted()).toEqual(["kept-1", "kept-2", "kept-3"]);
});

it.each([["list"], ["serve", "--expose", "all"]])(
  "ends the recording where nothing can be opened: %s",
  async (...line) => {
    using terminal = fakeTerminal();
    const file = join(terminal.cwd, "bug.jsonl");
    const config = terminal.file("hostside.json", { mcpServers: { notes: { command: 7 } } });
    expect((await runIn(terminal, ["--config", config, "--record", file, ...line])).code).not.toBe(0);
    expect(readFileSync(file, "utf8").trimEnd().split("\n").at(-1)).toContain('"type":"end"');
  },
);

it("refuses a recording that cannot be written, before anything starts", async () => {
  using terminal = fakeTerminal();
  const config = terminal.file("hostside.json", { mcpServers: { notes: { command: "hostside-test-must-not-run" } } });
  const { code, err } = await runIn(terminal, ["--config", config, "--record", "/no/such/folder/x.jsonl", "list"]);
  expect(code).toBe(2);
  expect(err).toContain("--record /no/such/folder/x.jsonl: ENOENT");
});

it("says how to install the kit where it is missing, and blames it for nothing else that is", async () => {
  const missing = (name: string) => () =>
    Promise.reject(
      Object.assign(new Error(`Cannot find package '${name}' imported from x`), { code: "ERR_MODULE_NOT_FOUND" }),
    );
  await expect(loadKit(missing("@hostside/conformance"))).rejects.toMatchObject({
    name: "UsageError",
    hint: expect.stringMatching(/^npm install --save-dev hostside @hostside\/conformance, or without/),
  });
  await expect(loadKit(missing("ajv"))).rejects.toThrow("Cannot find package 'ajv'");
});
