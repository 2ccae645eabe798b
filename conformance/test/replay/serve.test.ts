import type { ServerSpec } from "@hostside/core";
import { findFault, fixtureServer, startFaultServer, startHttpFixture } from "@hostside/fixtures";
import {
  createRecorder,
  createReplay,
  parseRecording,
  startReplayServer,
  type Recording,
} from "@hostside/conformance/replay";
import { createConnector } from "@hostside/transports";
import { spawnSync } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { converse, type Deed, type Seen } from "./converse.ts";

const program = fileURLToPath(new URL("../../bin/hostside-conformance.js", import.meta.url));
const deeds: readonly Deed[] = [
  { kind: "list" },
  { kind: "call", name: "echo", args: { text: "one" } },
  { kind: "call", name: "echo", args: { text: "two" } },
];

let folder = "";
beforeAll(async () => (folder = await mkdtemp(join(tmpdir(), "hostside-replay-"))));
afterAll(() => rm(folder, { recursive: true }));

async function record(spec: ServerSpec, file: string): Promise<{ live: Seen; recording: Recording }> {
  const recorder = createRecorder({ to: file });
  const live = await converse(createConnector({ effects: recorder.effects }), spec, deeds);
  recorder.close();
  return { live, recording: parseRecording(await readFile(file, "utf8")) };
}

function played(file: string, ...more: readonly string[]): ServerSpec {
  return { id: "one", type: "stdio", command: process.execPath, args: [program, "play", file, ...more] };
}

/** Without what tells one port from another. */
function withoutPort(seen: Seen): unknown {
  return JSON.parse(JSON.stringify(seen).replaceAll(/127\.0\.0\.1:\d+/g, "loopback"));
}

async function fetchAs(url: string, host: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    request(url, { headers: { host } }, (reply) => resolve(reply.resume().statusCode))
      .on("error", reject)
      .end();
  });
}

describe("hostside-conformance play and record", () => {
  it("is a recorded server over stdio for any host, and says what was not recorded on stderr", async () => {
    const file = join(folder, "good.jsonl");
    const { live } = await record({ id: "one", type: "stdio", ...fixtureServer("legacy-stdio") }, file);
    expect(await converse(createConnector(), played(file), deeds)).toEqual(live);
    const other = await converse(createConnector(), played(file), [
      { kind: "call", name: "echo", args: { text: "3" } },
    ]);
    expect(JSON.stringify(other)).toContain("was not recorded; the nearest is");
  });

  it("ends as the recorded process did", async () => {
    const fault = findFault("stdio-crash-mid-call");
    await using server = await startFaultServer({ script: fault?.script ?? {}, transport: "stdio" });
    const file = join(folder, "crash.jsonl");
    const recorder = createRecorder({ to: file });
    const connector = createConnector({ effects: recorder.effects });
    const first = await converse(connector, { id: "one", ...server.spec }, deeds);
    recorder.close();
    expect(JSON.stringify(first)).toContain("server_exited");
    expect(await converse(createConnector(), played(file), deeds)).toEqual(first);
  });

  it("records as the command of a host, whichever that is", async () => {
    const file = join(folder, "proxied.jsonl");
    const { command, args } = fixtureServer("modern-stdio");
    const spec: ServerSpec = {
      id: "server",
      type: "stdio",
      command: process.execPath,
      args: [program, "record", file, "--", command, ...args],
    };
    const live = await converse(createConnector(), spec, deeds);
    const replay = await createReplay(file);
    expect(await converse(replay.connector, spec, deeds)).toEqual(live);
    replay.check({ unused: true });
    expect(replay.recording.problems).toEqual([]);
  });

  it("says what is wrong with what it was given", () => {
    const run = (...args: readonly string[]): { status: number | null; said: string } => {
      const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], {
        encoding: "utf8",
        input: "",
      });
      return { status, said: stdout + stderr };
    };
    expect(run("play", "/nowhere.jsonl")).toMatchObject({ status: 1 });
    expect(run("record", join(folder, "none.jsonl"))).toMatchObject({ status: 2 });
    expect(run("record", join(folder, "none.jsonl"), "node", "srv.mjs")).toEqual({
      status: 2,
      said: "hostside-conformance: record takes one file, and -- before the command: record FILE -- COMMAND; see --help\n",
    });
    expect(run("record", "node", "srv.mjs", "--", "node")).toMatchObject({
      said: expect.stringContaining("takes one file"),
    });
    expect(run("play", "--help").said).toContain("hostside-conformance play FILE");
  });
});

describe("startReplayServer()", () => {
  it.each(["legacy-http", "modern-http", "sse-only"] as const)("is %s without it, for any host", async (name) => {
    await using server = await startHttpFixture(name, {});
    const spec: ServerSpec = { id: "one", type: "http", url: server.url };
    const { live, recording } = await record(spec, join(folder, `${name}.jsonl`));
    const replay = await createReplay(recording);
    await using played = await startReplayServer({ replay });
    const again = await converse(createConnector(), { ...spec, type: "http", url: played.url }, deeds);
    expect(again).toEqual(live);
    expect(replay.misses()).toEqual([]);
  });

  it.each(["http-reset-in-body", "stream-cut-mid-call", "http-503-once", "http-login-page"])(
    "breaks as the recorded server did: %s",
    async (id) => {
      const script = findFault(id)?.script ?? {};
      await using server = await startFaultServer({ script, transport: "http" });
      const spec: ServerSpec = { id: "one", ...server.spec };
      const { live, recording } = await record(spec, join(folder, `${id}.jsonl`));
      const replay = await createReplay(recording);
      await using played = await startReplayServer({ replay });
      const again = await converse(createConnector(), { id: "one", ...server.spec, url: played.url }, deeds);
      expect(codesIn(again)).toEqual(codesIn(live));
      expect(codesIn(live)).not.toEqual([]);
      expect(withoutPort(again)).toHaveLength(live.length);
    },
  );

  it("answers nobody who came by another name than that of this machine", async () => {
    await using server = await startHttpFixture("modern-http", {});
    const spec: ServerSpec = { id: "one", type: "http", url: server.url };
    const { recording } = await record(spec, join(folder, "named.jsonl"));
    const replay = await createReplay(recording);
    await using played = await startReplayServer({ replay });
    expect(await fetchAs(played.url, "evil.example")).toBe(403);
    await expect(startReplayServer({ replay, serverId: "two" })).rejects.toThrow('it has "one" (http)');
  });
});

// What a `fetch` quotes of a broken connection is not what `node:http` quotes.
function codesIn(seen: Seen): readonly unknown[] {
  return Array.from(
    JSON.stringify(seen).matchAll(/"code":"(\w+)","kind":"\w+","outcome":"([\w-]+)"/g),
    ([, code, outcome]) => [code, outcome],
  );
}
