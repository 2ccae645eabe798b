import { fixtureServer } from "@hostside/fixtures";
import { expect, it, onTestFinished } from "vitest";
import type { CommandContext, GlobalOptions } from "../../src/cli/command-context.ts";
import { terminalAsker, canAsk } from "../../src/cli/opening/asking/terminal-asker.ts";
import { openHost } from "../../src/cli/opening/open-host.ts";
import { UsageError } from "../../src/cli/exit-codes.ts";
import { fakeTerminal, runIn, type FakeTerminal, type FakeTerminalOptions } from "../fake-terminal.ts";

const notes = fixtureServer("modern-stdio");
const entry = { command: notes.command, args: notes.args };
// What never runs in these tests.
const never = { command: "hostside-test-must-not-run" };

function stage(options?: FakeTerminalOptions): FakeTerminal {
  const terminal = fakeTerminal(options);
  onTestFinished(() => terminal[Symbol.dispose]());
  return terminal;
}

function contextOf(terminal: FakeTerminal, options: GlobalOptions = {}): CommandContext {
  return { terminal, options };
}

/** Presses keys, each when the text before it is on the screen. */
async function answer(
  terminal: FakeTerminal,
  steps: readonly (readonly [shown: string, keys: string])[],
): Promise<void> {
  let from = 0;
  for (const [shown, keys] of steps) {
    await expect.poll(() => terminal.written.err.indexOf(shown, from), { interval: 5 }).not.toBe(-1);
    from = terminal.written.err.length;
    terminal.type(keys);
  }
}

const enter = "\r";
const up = "\u001B[A";

it("starts no server that a project brings where nobody can be asked, and says how to go on", async () => {
  const terminal = stage();
  terminal.file(".mcp.json", { mcpServers: { evil: never } });
  await using opened = await openHost(contextOf(terminal));
  expect(opened.asker).toBeUndefined();
  expect(opened.host.statuses().map(({ id, state }) => [id, state])).toEqual([["evil", "disabled"]]);
  expect(terminal.written).toEqual({
    out: "",
    err: "warning: A server of this project is not trusted, and not started: evil. See hostside trust.\n",
  });
  await expect(openHost(contextOf(terminal), { only: ["evil"] })).rejects.toMatchObject({
    message: expect.stringContaining(".mcp.json:3:5"),
    hint: "hostside trust evil",
  });
});

it("asks nobody in CI", async () => {
  const terminal = stage({ canAsk: true, env: { CI: "true" } });
  terminal.file(".mcp.json", { mcpServers: { evil: never } });
  await using opened = await openHost(contextOf(terminal));
  expect(opened.host.statuses().map(({ state }) => state)).toEqual(["disabled"]);
  // What --quiet leaves out is progress.
  expect([canAsk({ terminal }), canAsk({ terminal: stage({ canAsk: true }) })]).toEqual([false, true]);
});

it("asks once whether a project's server is trusted, shows what it would run, and starts it then and the next time", async () => {
  const terminal = stage({ canAsk: true });
  terminal.file(".vscode/mcp.json", {
    servers: { notes: { ...entry, env: { KEY: "${input:key}" } }, other: { ...never, env: { KEY: "${input:other}" } } },
    inputs: ["key", "other"].map((id) => ({
      id,
      type: "promptString",
      password: true,
      description: `\u001B[2JKey ${id}`,
    })),
  });
  const opening = openHost(contextOf(terminal), { only: ["notes"] });
  await answer(terminal, [
    ["Start it?", `${up}${up}${enter}`],
    ["Key key", `s3cret-of-ada${enter}`],
  ]);
  await using opened = await opening;
  expect(opened.host.statuses().map(({ id, state }) => [id, state])).toEqual([["notes", "ready"]]);
  const { err, out } = terminal.written;
  expect(err).toContain(`runs        ${process.execPath} `);
  expect(err).toContain("gets        input key\n");
  expect(out + err).not.toMatch(/s3cret|must-not-run|Key other|\[2J/);

  const again = openHost(contextOf(terminal), { only: ["notes"] });
  await answer(terminal, [["Key key", `x${enter}`]]);
  await using second = await again;
  expect(second.host.statuses().map(({ state }) => state)).toEqual(["ready"]);
});

it("ends when a question is cancelled, with nothing left", async () => {
  const terminal = stage({ canAsk: true });
  terminal.file(".mcp.json", { mcpServers: { evil: never } });
  const opening = openHost(contextOf(terminal));
  const [failed] = await Promise.allSettled([opening, answer(terminal, [["Start it?", "\u0003"]])]);
  expect(failed).toMatchObject({ status: "rejected", reason: { code: "aborted" } });
});

it("says where an entry is that does not start, and which command mends it", async () => {
  const terminal = stage();
  const file = terminal.file("mcp.json", {
    mcpServers: { files: never, Broken: { args: [] }, off: { ...never, disabled: true } },
  });
  const context = contextOf(terminal, { config: [file] });
  const fault = async (id: string): Promise<UsageError> => {
    const error: unknown = await openHost(context, { only: [id] }).catch((reason: unknown) => reason);
    if (error instanceof UsageError) return error;
    throw new Error("no usage error", { cause: error });
  };
  expect(await fault("fies")).toMatchObject({ message: 'there is no server "fies"', hint: 'Did you mean "files"?' });
  expect(await fault("off")).toMatchObject({
    message: `server "off" is disabled (${file}:9:5)`,
    hint: "switch it on in that file",
  });
  expect((await fault("broken")).message).toContain(`server "Broken" cannot be used\n  ${file}:`);
  await using opened = await openHost(context, { only: ["off"], off: "show" });
  expect(opened.host.statuses().map(({ id, state }) => [id, state])).toEqual([["off", "disabled"]]);
});

it.each<[string, GlobalOptions, (file: string) => RegExp]>([
  ["once, before anything else", {}, (file) => new RegExp(`^error: ${file}:3:[^\\n]*\\n$`)],
  ["not at all with --json, where they are in documents", { json: true }, () => /^$/],
])("reports errors of the configuration %s", async (_, options, expected) => {
  const terminal = stage();
  const file = terminal.file("mcp.json", { mcpServers: { broken: { args: [] }, notes: entry } });
  await using opened = await openHost(contextOf(terminal, { config: [file], ...options }));
  expect(opened.host.statuses().map(({ id, state }) => [id, state])).toEqual([["notes", "ready"]]);
  expect(terminal.written.err).toMatch(expected(file));
});

it("shows what somebody else wrote without anything that a terminal obeys, one line for each", async () => {
  const terminal = stage({ canAsk: true });
  const hostile = "a\u001B[2Jb\u009B1Ac\u202Ed\nStart it? yes\u0007";
  await terminalAsker(terminal).alone(async (ask) => ask.show([`server ${hostile}`]));
  expect(terminal.written.err).toBe("server a\\u{1b}[2Jb\\u{9b}1Ac\\u{202e}d Start it? yes\\u{7}\n");
});

it("reads a file in the dialect that is named, and says nothing of what is as its tool has it", async () => {
  using terminal = fakeTerminal();
  // There an unset variable stays as it is, and a program gets the whole environment.
  const args = [...(notes.args ?? []), "${NOBODY_SET_THIS}"];
  terminal.file("tool.json", { mcpServers: { one: { command: notes.command, args } } });
  const listed = async (...more: readonly string[]) =>
    runIn(terminal, ["list", "--json", "--config", "tool.json", ...more]);
  expect(await listed()).toMatchObject({ code: 2, out: expect.stringContaining("NOBODY_SET_THIS") });
  expect(JSON.parse((await listed("--dialect", "evva")).out)).toMatchObject({
    servers: [{ id: "one", state: "ready" }],
    problems: [],
  });
  expect(await listed("--dialect", "evwa")).toMatchObject({
    code: 2,
    out: expect.stringContaining("evwa"),
  });
  expect(await runIn(terminal, ["list", "--dialect", "evva"])).toMatchObject({ code: 2 });
});
