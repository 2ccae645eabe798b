import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { describe, expect, it, onTestFinished } from "vitest";
import { createWorkFolder, program, type WorkFolder } from "../terminal/work-folder.ts";
import { untilNoneRuns } from "./served-process.ts";
import { smallEntry, smallServer } from "./small-server.ts";

interface Raw {
  readonly child: ChildProcessWithoutNullStreams;
  readonly lines: AsyncIterator<string>;
  readonly send: (message: object) => void;
  /** The next message of which this is so. */
  readonly until: (isIt: (message: { readonly id?: number; readonly method?: string }) => boolean) => Promise<unknown>;
}

function start({ folder, env }: WorkFolder): Raw {
  const all = [program, "--config", "hostside.json", "serve", "--expose", "all"];
  const child = spawn(process.execPath, all, { cwd: folder, env });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    child,
    lines,
    send: (message) => void child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`),
    async until(isIt) {
      for (;;) {
        const { value, done } = await lines.next();
        if (done === true) throw new Error("it has ended");
        const message = JSON.parse(value);
        if (isIt(message)) return message;
      }
    },
  };
}

const initialize = {
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "x", version: "1" } },
};
const initialized = { method: "notifications/initialized" };
const call = (id: number, name: string) => ({
  id,
  method: "tools/call",
  params: { name: `mcp_one_${name}`, _meta: { progressToken: id } },
});

type Moment = (raw: Raw) => Promise<void>;
const moments = {
  "before it is asked anything": async ({ child }) => void (await once(child, "spawn")),
  "once it has introduced itself": async ({ send, until }) => {
    send(initialize);
    await until(({ id }) => id === 1);
  },
  "during a call": async ({ send, until }) => {
    send(initialize);
    send(initialized);
    // Waits for its server, if that is not there yet.
    send(call(2, "slow"));
    await until(({ method }) => method === "notifications/progress");
  },
} satisfies Readonly<Record<string, Moment>>;
const ways = {
  "its host closes stdin": (child) => void child.stdin.end(),
  "Ctrl-C": (child) => void child.kill("SIGINT"),
} satisfies Readonly<Record<string, (child: ChildProcessWithoutNullStreams) => void>>;

describe("hostside serve ends, and leaves no process", () => {
  it.each([
    ["its host closes stdin", "before it is asked anything"],
    ["its host closes stdin", "during a call"],
    ["Ctrl-C", "once it has introduced itself"],
    ["Ctrl-C", "during a call"],
  ] as const)("when %s comes %s", async (way, moment) => {
    await using work = await createWorkFolder();
    await work.write({ "small.mjs": smallServer, "hostside.json": { servers: { one: smallEntry("get_a", "slow") } } });
    const raw = start(work);
    onTestFinished(() => void raw.child.kill("SIGKILL"));
    const exit = once(raw.child, "exit");
    await moments[moment](raw);
    ways[way](raw.child);
    const [code, signal] = await exit;
    expect([code, signal]).toEqual([0, null]);
    await untilNoneRuns(work);
  });

  it("when its host has read nothing of its answers, and closes stdin", async () => {
    await using work = await createWorkFolder();
    await work.write({ "small.mjs": smallServer, "hostside.json": { servers: { one: smallEntry("get_a") } } });
    const all = [program, "--config", "hostside.json", "--verbose", "serve", "--expose", "all"];
    const child = spawn(process.execPath, all, { cwd: work.folder, env: work.env });
    let said = "";
    child.stderr.on("data", (chunk: Buffer) => (said += chunk.toString()));
    onTestFinished(() => void child.kill("SIGKILL"));
    const exit = once(child, "exit");
    const text = "x".repeat(50_000);
    const calls = Array.from({ length: 60 }, (_, index) => ({
      id: index + 2,
      method: "tools/call",
      params: { name: "mcp_one_get_a", arguments: { text } },
    }));
    for (const message of [initialize, initialized, ...calls]) {
      child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
    }
    await expect.poll(() => said.split("request-ended tools/call").length - 1).toBe(60);
    child.stdin.end();
    expect(await exit).toEqual([0, null]);
    await untilNoneRuns(work);
  });
});
