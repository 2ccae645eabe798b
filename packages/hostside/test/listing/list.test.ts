import { chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { fixtureServer } from "@hostside/fixtures";
import headless from "@xterm/headless";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { useManualClock } from "../../../../test/manual-clock.ts";
import { fakeTerminal, runIn, type FakeTerminal } from "../fake-terminal.ts";

const good = fixtureServer("modern-stdio");
const node = (script: string): object => ({ command: process.execPath, args: ["-e", script] });
const broken = node(String.raw`console.error("first line\nbad \u001b[31mthing"); process.exit(3)`);
// Answers nothing, and goes when it is told to.
const hang = node(`process.stdin.resume().on("end", () => process.exit())`);

let guarded: Server;
let guardedUrl: string;
beforeAll(async () => {
  guarded = createServer((_request, response) => response.writeHead(401).end());
  await new Promise<void>((resolve) => void guarded.listen(0, "127.0.0.1", resolve));
  guardedUrl = `http://127.0.0.1:${(guarded.address() as AddressInfo).port}/mcp`;
});
afterAll(() => void guarded.close());

/** What `list` shows on a screen, and whatever has scrolled away. */
async function screenOf({ written }: FakeTerminal, columns: number): Promise<readonly string[]> {
  const emulator = new headless.Terminal({
    cols: columns,
    rows: 24,
    scrollback: 500,
    convertEol: true,
    allowProposedApi: true,
  });
  await new Promise<void>((resolve) => emulator.write(written.out, resolve));
  const { active } = emulator.buffer;
  const lines = Array.from({ length: active.length }, (_, at) => active.getLine(at)?.translateToString(true) ?? "");
  return lines.slice(0, lines.findLastIndex((line) => line !== "") + 1);
}

describe("hostside list", () => {
  it("shows every server there is, what is wrong with each, and how it is mended", async () => {
    using terminal = fakeTerminal();
    const started = join(terminal.cwd, "was-started");
    const forbidden = node(`require("node:fs").writeFileSync(${JSON.stringify(started)}, "")`);
    mkdirSync(join(terminal.cwd, ".git"));
    terminal.file(".mcp.json", { mcpServers: { brought: forbidden } });
    const folder = join(terminal.home, ".codeium", "windsurf");
    mkdirSync(folder, { recursive: true });
    const mine = {
      good,
      broken,
      guarded: { serverUrl: guardedUrl },
      off: { ...forbidden, disabled: true },
      unset: { ...node(""), env: { A: "${env:NOBODY_SET_THIS}" } },
    };
    writeFileSync(join(folder, "mcp_config.json"), JSON.stringify({ mcpServers: mine }));

    const { code, out, err } = await runIn(terminal, ["list"]);
    expect(code).toBe(1);
    expect(out).toMatch(/^! {2}brought +not trusted\n.*\n +hostside trust brought$/m);
    expect(out).toMatch(
      /^✗ {2}broken +failed\n +exited with code 3\n +\| first line\n +\| bad thing\n +hostside doctor broken$/m,
    );
    expect(out).toMatch(/^✓ {2}good +ready +2026-07-28 +9 tools +[\d.]+ m?s$/m);
    expect(out).toMatch(/^! {2}guarded +needs sign-in\n(?: {4}.*\n)+? {4}hostside login guarded$/m);
    expect(out).toMatch(/^○ {2}off +disabled\n +off in \S*mcp_config\.json:1: switch it on there$/m);
    expect(out).toMatch(/^ {2}echo +Returns the text it is given\.$/m);
    expect(out).not.toContain("\u001B");
    expect(err).toMatch(/^\d of \d servers: good ready$/m);
    expect(existsSync(started)).toBe(false);

    const json = await runIn(terminal, ["list", "--json", "--quiet"]);
    expect(json.err).toBe("");
    const { servers, tools, problems } = JSON.parse(json.out);
    expect(servers.map(({ id, state }: { id: string; state: string }) => `${id} ${state}`)).toEqual([
      "broken failed",
      "brought disabled",
      "good ready",
      "guarded needs-auth",
      "off disabled",
      "unset invalid",
    ]);
    expect(servers[0]).toMatchObject({
      error: { code: "server_exited", stderr: ["first line", "bad thing"] },
      tools: 0,
      scope: "user",
      line: 1,
    });
    expect(servers[1]).toMatchObject({ off: "untrusted", undecided: true, mend: ["trust", "brought"] });
    expect(tools.find(({ name }: { name: string }) => name === "mcp_good_echo")).toMatchObject({
      server: "good",
      tool: "echo",
      effect: "external",
    });
    expect(problems).toContainEqual(expect.objectContaining({ code: "unset_variable", serverId: "unset" }));
  });

  it("shows the entries of a name that another one is used in place of", async () => {
    using terminal = fakeTerminal();
    const off = { command: "x", disabled: true };
    for (const [folder, name] of [
      [".cursor", "mcp.json"],
      [".codeium/windsurf", "mcp_config.json"],
    ] as const) {
      mkdirSync(join(terminal.home, folder), { recursive: true });
      writeFileSync(join(terminal.home, folder, name), JSON.stringify({ mcpServers: { twice: off } }));
    }
    const { out } = await runIn(terminal, ["list", "--where"]);
    expect(out).toContain("user ~/.cursor/mcp.json:1\n");
    expect(out).toContain("    not used: the entry of this name in ~/.codeium/windsurf/mcp_config.json:1:16\n");
    const { servers } = JSON.parse((await runIn(terminal, ["list", "--json"])).out);
    expect(servers).toMatchObject([{ over: [expect.stringContaining("mcp_config.json:1:16")] }]);
    expect((await runIn(terminal, ["doctor"])).out).toContain("mcp_config.json:1:16 is not used");
  });

  it("counts entries that have no server in them, and does not end well because of the others", async () => {
    using terminal = fakeTerminal();
    const both = { command: "x", url: "http://127.0.0.1/" };
    terminal.file("mcp.json", { mcpServers: { good, typo: { comand: "x" }, both, list: { ...node(""), args: "x" } } });
    const { code, out, err } = await runIn(terminal, ["list", "--config", "mcp.json"]);
    expect(code).toBe(1);
    for (const id of ["typo", "both", "list"]) expect(out).toMatch(new RegExp(`^✗ {2}${id} +cannot be used$`, "m"));
    expect(out).toContain("has neither command nor url");
    expect(err).toMatch(/warning: .*"comand".*command/);
    expect(out).toContain("1 of 4 servers ready");
    const { servers } = JSON.parse((await runIn(terminal, ["list", "--json", "--config", "mcp.json"])).out) as {
      readonly servers: readonly { readonly id: string; readonly state: string; readonly line?: number }[];
    };
    expect(servers.map(({ id, state }) => [id, state])).toEqual([
      ["both", "invalid"],
      ["good", "ready"],
      ["list", "invalid"],
      ["typo", "invalid"],
    ]);
    expect(servers.every(({ line }) => line !== undefined)).toBe(true);
  });

  it("shows the others before one that hangs, and on Ctrl-C what is known so far", async () => {
    using terminal = fakeTerminal();
    const config = terminal.file("servers.json", { mcpServers: { good, hang } });
    const running = runIn(terminal, ["list", "--no-tools", "--config", config]);
    await vi.waitFor(() => expect(terminal.written.err).toContain("good ready"), { timeout: 60_000, interval: 5 });
    terminal.interrupt();
    const { code, out } = await running;
    expect(code).toBe(3);
    expect(out).toMatch(/^✓ {2}good +ready/m);
    expect(out).toMatch(/^! {2}hang +not ready\n +was still on its way$/m);
  });

  it("ends with the code of the one that was asked for, and starts it alone", async () => {
    using terminal = fakeTerminal();
    const other = join(terminal.cwd, "other-was-started");
    const mcpServers = {
      broken,
      hang,
      off: { ...hang, disabled: true },
      guarded: { url: guardedUrl },
      other: node(`require("node:fs").writeFileSync(${JSON.stringify(other)}, "")`),
    };
    const config = terminal.file("servers.json", { mcpServers });
    const codeOf = async (...argv: readonly string[]): Promise<number> =>
      (await runIn(terminal, ["list", ...argv, "--config", config])).code;
    expect(await codeOf("broken")).toBe(4);
    expect(await codeOf("hang", "--timeout", "0.05")).toBe(4);
    expect(await codeOf("guarded")).toBe(5);
    expect(await codeOf("off")).toBe(1);
    expect(await codeOf("brokn")).toBe(2);
    expect(terminal.written.err).toContain('Did you mean "broken"?');
    expect(existsSync(other)).toBe(false);
  });

  it("shows each server once on a live terminal of 40 columns, and how far it is in a line of stderr", async () => {
    using terminal = fakeTerminal({ isLive: true, hasColors: true, columns: 40 });
    const off = Array.from({ length: 40 }, (_, at) => [
      `off${String(at).padStart(2, "0")}`,
      { ...hang, disabled: true },
    ]);
    const config = terminal.file("c.json", { mcpServers: { ...Object.fromEntries(off), broken } });
    await runIn(terminal, ["list", "--no-tools", "--config", config]);
    const lines = await screenOf(terminal, 40);
    expect(lines.filter((line) => line.includes("starting"))).toEqual([]);
    expect(lines.filter((line) => /broken +failed/.test(line))).toHaveLength(1);
    expect(lines.filter((line) => /off07 +disabled/.test(line))).toHaveLength(1);
    expect(lines[0]).toMatch(/broken +failed/);
    expect(terminal.written.err).toContain("1 of 1 server: broken failed");
  });

  it.each([
    ["where stderr is no terminal", false, []],
    ["with --verbose, amid its other lines", true, ["--verbose"]],
  ])("says how far it is in whole lines %s", async (_, isTTY, options) => {
    using terminal = fakeTerminal({ isLive: true });
    Object.assign(terminal.stderr, { isTTY });
    const config = terminal.file("c.json", { mcpServers: { broken } });
    const { err } = await runIn(terminal, ["list", ...options, "--config", config]);
    expect(err.split("\n")).toContain("1 of 1 server: broken failed");
    expect(err).not.toContain("\r");
  });

  it("ends the line that it replaces before it says who is still installing", async () => {
    using terminal = fakeTerminal({ isLive: true });
    const npx = terminal.file("bin/npx", `#!/bin/sh\nexec cat >"${join(terminal.cwd, "started")}"\n`);
    chmodSync(npx, 0o755);
    const config = terminal.file("c.json", { mcpServers: { slow: { command: npx, args: ["-y", "big"] } } });
    const clock = useManualClock();
    const running = runIn(terminal, ["list", "--config", config]);
    await vi.waitFor(() => expect(terminal.written.err).toContain("0 of 1 server"), { timeout: 60_000, interval: 5 });
    await vi.waitFor(() => expect(existsSync(join(terminal.cwd, "started"))).toBe(true), { timeout: 60_000 });
    clock.advance(30_000);
    const line = "\r\u001B[Kslow is still installing; --timeout SECONDS ends the wait\n";
    await vi.waitFor(() => expect(terminal.written.err).toContain(line), { timeout: 60_000 });
    terminal.interrupt();
    await running;
  });
});
