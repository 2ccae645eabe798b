import type { ServerSpec, EntrySettings } from "@hostside/core";
import type { ConnectionHooks } from "@hostside/core/implement";
import { fixtureServer } from "@hostside/fixtures";
import { execa } from "execa";
import { availableParallelism } from "node:os";
import { describe, expect, it } from "vitest";
import { createConnector } from "../src/index.ts";
import { defaultStartLimit } from "../src/stdio/open-stdio.ts";
import { useManualClock } from "../../../test/manual-clock.ts";
import { childPath, until } from "./open-child.ts";

const never = new AbortController().signal;

function hooks(members: Partial<ConnectionHooks> = {}): ConnectionHooks {
  return { onToolsChanged: () => undefined, onDown: () => undefined, ...members };
}

function child(id: string, program: string, members: Partial<EntrySettings> = {}): ServerSpec {
  return {
    id,
    era: "legacy",
    type: "stdio",
    command: process.execPath,
    args: [childPath(program)],
    timeouts: { closeMs: 200 },
    ...members,
  };
}

describe("the servers that start at once", () => {
  it("are as many as there is room for: the next one starts when one has begun to speak", async () => {
    const connector = createConnector({ maxConcurrentStarts: 2 });
    const reported: string[] = [];
    const { command, args } = fixtureServer("errors-on-unknown");
    const connections = await Promise.all(
      ["a", "b", "c", "d", "e"].map((id) =>
        connector.connect(
          { id, type: "stdio", command, args, timeouts: { probeMs: 20_000 } },
          hooks({ onQueued: () => reported.push(`${id} waits`), onStart: () => reported.push(`${id} starts`) }),
          never,
        ),
      ),
    );
    expect(reported).toEqual(["c waits", "d waits", "e waits", "c starts", "d starts", "e starts"]);
    await Promise.all(connections.map((connection) => connection.close()));
  });

  it("give up their turn at once, and leave no timer behind, when the effects of the host fail", async () => {
    const clock = useManualClock();
    let isBroken = true;
    const connector = createConnector({
      maxConcurrentStarts: 1,
      effects() {
        if (isBroken) throw new RangeError("no recording");
        return undefined;
      },
    });
    const failed = connector.connect(child("first", "answers-initialize.mjs"), hooks(), never);
    await expect(failed).rejects.toMatchObject({
      code: "internal_error",
      serverId: "first",
      outcome: "not-sent",
      cause: new RangeError("no recording"),
    });
    expect(clock.pending()).toBe(0);
    isBroken = false;
    const queued: string[] = [];
    const onQueued = (): void => void queued.push("second");
    const second = await connector.connect(child("second", "answers-initialize.mjs"), hooks({ onQueued }), never);
    expect(queued).toEqual([]);
    await second.close();
  });

  it("are started within the call where there is room, unless it was aborted, and otherwise when their turn comes", async () => {
    const started: string[] = [];
    const connector = createConnector({
      maxConcurrentStarts: 1,
      effects: ({ id }) => ({
        spawn(...[command, args, options, own]) {
          started.push(id);
          return own(command, args, options);
        },
      }),
    });
    const connect = (id: string, signal = never): ReturnType<typeof connector.connect> =>
      connector.connect(child(id, "answers-initialize.mjs"), hooks(), signal);
    const aborted = connect("aborted", AbortSignal.abort("enough"));
    const first = connect("first");
    const second = connect("second");
    expect(started).toEqual(["first"]);
    await expect(aborted).rejects.toMatchObject({ code: "aborted", outcome: "not-sent", cause: "enough" });
    const connections = await Promise.all([first, second]);
    expect(started).toEqual(["first", "second"]);
    await Promise.all(connections.map((connection) => connection.close()));
  });

  it("do not hold up the others for long when they are silent, and waiting costs no connect time", async () => {
    const clock = useManualClock();
    const connector = createConnector({ maxConcurrentStarts: 1 });
    const reported: string[] = [];
    const silent = new AbortController();
    const hung = connector.connect(child("hung", "never-reads.mjs"), hooks(), silent.signal);
    hung.catch(() => undefined);
    const answered = connector.connect(
      child("well", "answers-initialize.mjs", { timeouts: { connectMs: 3000, closeMs: 200 } }),
      hooks({ onQueued: () => reported.push("waits"), onStart: () => reported.push("starts") }),
      never,
    );
    await until(() => reported.length === 1);
    // More than its own time to connect passes before its turn comes.
    clock.advance(4999);
    await new Promise((resolve) => setImmediate(resolve));
    expect(reported).toEqual(["waits"]);
    clock.advance(1);
    const connection = await answered;
    expect(reported).toEqual(["waits", "starts"]);
    silent.abort("enough");
    const closed = Promise.all([connection.close(), hung.catch(() => undefined)]);
    let isClosed = false;
    void closed.then(() => (isClosed = true));
    await until(() => {
      clock.advance(100);
      return isClosed;
    });
  });

  it("leave the queue when they are given up: aborted, and nothing was started", async () => {
    const connector = createConnector({ maxConcurrentStarts: 1 });
    const first = new AbortController();
    const hung = connector.connect(child("hung", "never-reads.mjs"), hooks(), first.signal);
    const second = new AbortController();
    const waiting = connector.connect(
      child("waiting", "no-such-program.mjs"),
      hooks({ onQueued: () => second.abort("enough"), onStart: () => expect.unreachable() }),
      second.signal,
    );
    await expect(waiting).rejects.toMatchObject({
      code: "aborted",
      serverId: "waiting",
      outcome: "not-sent",
      cause: "enough",
    });
    first.abort("enough");
    await expect(hung).rejects.toMatchObject({ code: "aborted" });
  });

  it("are four for each processor by default, and eight at least", () => {
    expect(defaultStartLimit()).toBe(Math.max(8, 4 * availableParallelism()));
  });

  it.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, "4"])("cannot be %s", (maxConcurrentStarts) => {
    expect(() => createConnector({ maxConcurrentStarts: maxConcurrentStarts as number })).toThrow(
      "createConnector(): maxConcurrentStarts must be a positive integer",
    );
  });
});

describe("a host without a free file descriptor", () => {
  it.skipIf(process.platform === "win32").each(["stdio", "http"])(
    "says so for %s as a failure that may be retried, and connects once there is one",
    async (kind) => {
      const { stdout } = await execa({
        timeout: 15_000,
      })`sh -c ${'ulimit -n 100; exec "$0" "$@"'} ${process.execPath} ${childPath("host-without-descriptors.mjs")} ${kind}`;
      expect(JSON.parse(stdout)).toEqual([
        { code: kind === "stdio" ? "spawn_failed" : "unreachable", retryable: true, outcome: "not-sent", names: true },
        "connected",
      ]);
    },
  );

  // A runtime opens what a file imports side by side, and keeps what it could not open as failed.
  it.skipIf(process.platform === "win32")("connects over HTTP with three that are left", async () => {
    const { stdout } = await execa({
      timeout: 15_000,
    })`sh -c ${'ulimit -n 100; exec "$0" "$@"'} ${process.execPath} ${childPath("host-without-descriptors.mjs")} http 3`;
    expect(JSON.parse(stdout)).toEqual(["connected", "connected"]);
  });
});
