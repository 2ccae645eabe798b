import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import { readdir } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { existsSync } from "node:fs";
import { text } from "node:stream/consumers";
import { pathToFileURL } from "node:url";
import { describe, it } from "vitest";
import { createWorkFolder, program, type WorkFolder } from "../terminal/work-folder.ts";

// Never answers, and has a child of its own that holds none of its pipes. Where it is stubborn,
// only SIGKILL ends them, and it sends its host two signals more once that closes it.
const hanging = `
  import { spawn } from "node:child_process";
  import { writeFileSync } from "node:fs";
  const isStubborn = process.argv[2] === "stubborn";
  const heedless = isStubborn ? "process.on('SIGTERM', () => {});" : "";
  spawn(process.execPath, ["-e", heedless + "setTimeout(() => {}, 60_000)"], { stdio: "ignore" });
  if (isStubborn) process.on("SIGTERM", () => writeFileSync("got-sigterm", ""));
  process.stdin.resume().on("end", () => {
    if (!isStubborn) process.exit();
    process.kill(process.ppid, "SIGINT");
    setTimeout(() => {
      writeFileSync("outlived-the-same-signal", "");
      process.kill(process.ppid, "SIGINT");
    }, 400);
    setTimeout(() => {}, 60_000);
  });
  process.stderr.write("it hangs\\n");
`;

const answering = `
  import { createInterface } from "node:readline";
  const info = { protocolVersion: "2025-06-18", capabilities: { tools: { listChanged: true } }, serverInfo: { name: "big", version: "1" } };
  const properties = { shade: { type: "string", enum: ["red", "green"] } };
  const tools = [{ name: "big" }, { name: "never" }].map((tool) => ({ ...tool, inputSchema: { type: "object", properties }, annotations: { readOnlyHint: true } }));
  const results = { initialize: () => info, "tools/list": () => ({ tools }), "tools/call": () => ({ content: [{ type: "text", text: "x".repeat(1e6) }] }) };
  for await (const line of createInterface({ input: process.stdin })) {
    const { id, method, params } = JSON.parse(line);
    const result = results[method]?.();
    if (params?.name === "never") {
      process.stderr.write("it was asked\\n");
      continue;
    }
    if (id === undefined) continue;
    process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, ...(result ? { result } : { error: { code: -32601, message: "no" } }) }) + "\\n");
  }
`;

const server = (...args: readonly string[]): object => ({ mcpServers: { one: { command: process.execPath, args } } });
const files = {
  "hanging.mjs": hanging,
  "answering.mjs": answering,
  "throws.mjs": `process.on("SIGUSR2", () => { throw new Error("defect"); });`,
  "hanging.json": server("hanging.mjs"),
  "stubborn.json": server("hanging.mjs", "stubborn"),
  "answering.json": server("answering.mjs"),
};

async function workWithServers(): Promise<WorkFolder> {
  const work = await createWorkFolder();
  await work.write(files);
  return work;
}

function start({ folder, env }: WorkFolder, ...args: readonly string[]): ChildProcessWithoutNullStreams {
  return spawn(process.execPath, [program, ...args], { cwd: folder, env });
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

describe.skipIf(process.platform === "win32").concurrent("a command in a process of its own", () => {
  it.runIf(existsSync("/dev/full"))("fails where a disk is full, because what it wrote is lost", async ({ expect }) => {
    await using work = await createWorkFolder();
    const line = `"$0" "$@" > /dev/full`;
    const child = spawn("sh", ["-c", line, process.execPath, program, "--help"], { cwd: work.folder, env: work.env });
    const [said, [code]] = await Promise.all([text(child.stderr), once(child, "exit")]);
    expect(code).toBe(1);
    expect(said).toContain("error: ENOSPC");
  });

  it("ends with 3 on a signal while a server hangs, and leaves no child and no grandchild", async ({ expect }) => {
    await using work = await workWithServers();
    const child = start(work, "--config", "hanging.json", "--verbose", "search", "x");
    await untilWritten(child, "it hangs");
    child.kill("SIGTERM");
    expect(await once(child, "exit")).toEqual([3, null]);
    expect(await work.processes()).toEqual([]);
  });

  it("takes a signal that npm repeats for one, and kills what is left on the second", async ({ expect }) => {
    await using work = await workWithServers();
    const child = start(work, "--config", "stubborn.json", "--verbose", "search", "x");
    await untilWritten(child, "it hangs");
    child.kill("SIGINT");
    expect(await once(child, "exit")).toEqual([3, null]);
    await expect.poll(() => work.processes()).toEqual([]);
    const written = await readdir(work.folder);
    expect(written).toContain("outlived-the-same-signal");
    expect(written).not.toContain("got-sigterm");
  });

  it("leaves nothing when its terminal is closed", async ({ expect }) => {
    await using work = await workWithServers();
    const pty = JSON.stringify(createRequire(import.meta.url).resolve("@lydell/node-pty"));
    const args = JSON.stringify([program, "--config", "hanging.json", "--verbose", "search", "x"]);
    const terminal = `require(${pty}).spawn(process.execPath, ${args}, {}).onData((text) => {
      if (text.includes("it hangs")) process.kill(process.pid, "SIGKILL");
    })`;
    const child = spawn(process.execPath, ["-e", terminal], { cwd: work.folder, env: work.env, stdio: "ignore" });
    expect(await once(child, "exit")).toEqual([null, "SIGKILL"]);
    await expect.poll(() => work.processes()).toEqual([]);
  });

  it("says of an error that nobody caught that it is a defect, also with --json, and leaves nothing", async ({
    expect,
  }) => {
    await using work = await workWithServers();
    const throws = pathToFileURL(join(work.folder, "throws.mjs")).href;
    const env = { ...work.env, NODE_OPTIONS: `--import ${throws}` };
    const child = start({ ...work, env }, "--config", "hanging.json", "--json", "call", "one/it");
    const [stdout, stderr] = [text(child.stdout), text(child.stderr)];
    await expect.poll(() => work.processes()).toHaveLength(3);
    child.kill("SIGUSR2");
    expect(await once(child, "exit")).toEqual([1, null]);
    expect(JSON.parse(await stdout)).toMatchObject({ error: { code: "bug", message: "defect" } });
    expect(await stderr).toMatch(/^bug: defect$/m);
    expect(await work.processes()).toEqual([]);
  });

  it("writes all of 1 MB through a pipe that is read late", async ({ expect }) => {
    await using work = await workWithServers();
    const child = start(work, "--config", "answering.json", "--json", "call", "big", "--yes");
    const exit = once(child, "exit");
    await once(child.stdout, "readable");
    const written = await text(child.stdout);
    expect(JSON.parse(written)).toMatchObject({ isError: false });
    expect(written.length).toBeGreaterThan(1e6);
    expect(await exit).toEqual([0, null]);
  });

  it("ends quietly with 0 where nobody reads what it writes", async ({ expect }) => {
    await using work = await workWithServers();
    const child = start(work, "--config", "answering.json", "--quiet", "--json", "call", "big", "--yes");
    const stderr = text(child.stderr);
    const exit = once(child, "exit");
    await once(child.stdout, "readable");
    child.stdout.destroy();
    expect({ exit: await exit, stderr: await stderr }).toEqual({ exit: [0, null], stderr: "" });
  });
});
