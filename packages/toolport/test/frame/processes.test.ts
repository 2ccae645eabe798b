import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runInTerminal } from "../terminal/run-in-terminal.ts";
import { createWorkFolder, program, type WorkFolder } from "../terminal/work-folder.ts";

// Never answers, and has a child of its own that holds none of its pipes.
const hanging = `
  import { spawn } from "node:child_process";
  spawn(process.execPath, ["-e", "setTimeout(() => {}, 60_000)"], { stdio: "ignore" });
  process.stdin.on("end", () => process.exit()).resume();
  process.stderr.write("it hangs\\n");
`;

const answering = `
  import { createInterface } from "node:readline";
  const info = { protocolVersion: "2025-06-18", capabilities: { tools: { listChanged: true } }, serverInfo: { name: "big", version: "1" } };
  const properties = { shade: { type: "string", enum: ["red", "green"] } };
  const tools = [{ name: "big" }, { name: "never" }].map((tool) => ({ ...tool, inputSchema: { type: "object", properties }, annotations: { readOnlyHint: true } }));
  const results = { initialize: () => info, "tools/list": () => ({ tools }), "tools/call": () => ({ content: [{ type: "text", text: "x".repeat(5e6) }] }) };
  for await (const line of createInterface({ input: process.stdin })) {
    const { id, method, params } = JSON.parse(line);
    const result = results[method]?.();
    if (params?.name === "never") {
      tools.push({ ...tools[0], name: "late" });
      process.stdout.write('{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}\\n');
    }
    if (id === undefined || params?.name === "never") continue;
    process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, ...(result ? { result } : { error: { code: -32601, message: "no" } }) }) + "\\n");
  }
`;

let work: WorkFolder;
beforeAll(async () => {
  work = await createWorkFolder();
  const server = (file: string): object => ({ command: process.execPath, args: [file] });
  await work.write({
    "hanging.mjs": hanging,
    "answering.mjs": answering,
    "hanging.json": { mcpServers: { hanging: server("hanging.mjs") } },
    "answering.json": { mcpServers: { answering: server("answering.mjs") } },
  });
});
afterAll(() => work[Symbol.asyncDispose]());

function start(...args: readonly string[]): ChildProcessWithoutNullStreams {
  return spawn(process.execPath, [program, ...args], { cwd: work.folder, env: work.env });
}

async function untilWritten({ stderr }: ChildProcessWithoutNullStreams, wanted: string): Promise<void> {
  let written = "";
  // To leave the loop would close the pipe.
  await new Promise<void>((resolve) => {
    stderr.on("data", (chunk: Buffer) => {
      written += chunk.toString();
      if (written.includes(wanted)) resolve();
    });
  });
}

describe.skipIf(process.platform === "win32")("a command in a process of its own", () => {
  it.runIf(existsSync("/dev/full"))("fails where a disk is full, because what it wrote is lost", async () => {
    const line = `"$0" "$@" > /dev/full`;
    const child = spawn("sh", ["-c", line, process.execPath, program, "--help"], { cwd: work.folder, env: work.env });
    const [said, [code]] = await Promise.all([text(child.stderr), once(child, "exit")]);
    expect(code).toBe(1);
    expect(said).toContain("error: ENOSPC");
  });

  it("ends with 3 on each signal while a server hangs, and leaves no child and no grandchild", async () => {
    const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
    const ends = signals.map(async (signal) => {
      const child = start("--config", "hanging.json", "--verbose", "groups");
      await untilWritten(child, "it hangs");
      child.kill(signal);
      return once(child, "exit");
    });
    expect(await Promise.all(ends)).toEqual(signals.map(() => [3, null]));
    expect(await work.processes()).toEqual([]);
  });

  it("writes all of 5 MB through a pipe that is read late", async () => {
    const child = start("--config", "answering.json", "--json", "call", "big", "--yes");
    const exit = once(child, "exit");
    await once(child.stdout, "readable");
    const written = await text(child.stdout);
    expect(JSON.parse(written)).toMatchObject({ isError: false });
    expect(written.length).toBeGreaterThan(5e6);
    expect(await exit).toEqual([0, null]);
  });

  it("ends quietly with 0 where nobody reads what it writes", async () => {
    const child = start("--config", "answering.json", "--quiet", "--json", "call", "big", "--yes");
    const stderr = text(child.stderr);
    const exit = once(child, "exit");
    await once(child.stdout, "readable");
    child.stdout.destroy();
    expect({ exit: await exit, stderr: await stderr }).toEqual({ exit: [0, null], stderr: "" });
  });

  it("runs the lines of a pipe on one host, and exits with what the first failure exits with", async () => {
    const child = start("--config", "answering.json", "repl");
    const [stdout, stderr, exit] = [text(child.stdout), text(child.stderr), once(child, "exit")];
    child.stdin.end('list --json\n# nothing\n\nnope\nhelp\ncall "open\n');
    expect(JSON.parse(await stdout)).toBeDefined();
    expect(await stderr).toMatch(/no such command here: nope[^]*Commands: list[^]*a quote is open/);
    expect(await exit).toEqual([2, null]);
  });

  it("lets a person complete, clear, abort a call and go on in the repl, and shows that tools changed", async () => {
    await using terminal = runInTerminal(work, ["--config", "answering.json", "repl"]);
    await terminal.waitForScreen(/^toolport>$/m);
    terminal.type("cal");
    terminal.press("tab");
    await terminal.waitForScreen(/> call $|> call$/m);
    terminal.type("never --sh");
    terminal.press("tab");
    await terminal.waitForScreen("--shade");
    terminal.type("r");
    terminal.press("tab");
    await terminal.waitForScreen("--shade red");
    terminal.press("ctrl-c");
    await terminal.waitForScreen(/\^C\ntoolport> ?$/);
    terminal.type("call never --yes\r");
    await terminal.waitForScreen("tools changed: +mcp_answering_late");
    terminal.press("ctrl-c");
    await terminal.waitForScreen(/\[aborted\][^]*\ntoolport> ?$/);
    terminal.type("nope\r");
    await terminal.waitForScreen("no such command here");
    terminal.press("up");
    await terminal.waitForScreen(/toolport> nope$/);
    terminal.press("ctrl-c");
    // Of two keys at once, the second would belong to the line that is left.
    await terminal.waitForScreen(/nope\^C\ntoolport>$/);
    terminal.press("ctrl-d");
    expect(await terminal.exit).toBe(0);
    expect(await work.processes()).toEqual([]);
  });
});
