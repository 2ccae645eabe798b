import type { ServerSpec, StdioEntry } from "@hostside/core";
import { ChildProcess } from "node:child_process";
import fs, { mkdtemp, rm, writeFile } from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { openStdio as openUnavailable } from "../src/stdio/open-stdio-unavailable.ts";
import { openStdio, type StdioEffects } from "../src/stdio/open-stdio.ts";
import { createTransportContext } from "../src/context/server-context.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "hostside-stdio-"));
});
afterEach(async () => {
  await rm(folder, { recursive: true });
});

const listeners = { signal: new AbortController().signal, onDiagnostic: () => {}, onLog: () => {} };

async function failureOf(transport: Omit<StdioEntry, "type">, effects: StdioEffects = {}): Promise<unknown> {
  const spec: ServerSpec = { id: "github", type: "stdio", ...transport };
  return openStdio(spec, { ...createTransportContext(spec, listeners), effects }).then(
    () => "it started",
    (error: unknown) => error,
  );
}

describe("openStdio() of a server that cannot start: spawn_failed", () => {
  it("a program that is not on the PATH", async () => {
    expect(await failureOf({ command: "no-such-program" })).toMatchObject({
      code: "spawn_failed",
      serverId: "github",
      outcome: "not-sent",
      retryable: false,
      details: { field: "command" },
      cause: { code: "ENOENT" },
      message:
        '[spawn_failed] server "github": cannot start "no-such-program": there is no such program on the PATH; install it, or give its full path',
    });
  });

  it("within its time, also in a directory of a file system that never answers", async () => {
    let stat = vi.spyOn(fs, "stat");
    const asked = new Promise<void>((resolve) => {
      stat = stat.mockImplementation(() => (resolve(), new Promise(() => {})));
    });
    syncBuiltinESMExports();
    const start = new AbortController();
    const spec = { id: "github", type: "stdio", command: process.execPath, cwd: folder } as const;
    const opening = openStdio(spec, createTransportContext(spec, { ...listeners, signal: start.signal })).catch(
      (error: unknown) => error,
    );
    try {
      await asked;
      start.abort();
      expect(await opening).toMatchObject({ code: "aborted", serverId: "github", outcome: "not-sent" });
    } finally {
      stat.mockRestore();
      syncBuiltinESMExports();
    }
  });

  it("a path where no file is", async () => {
    expect(await failureOf({ command: join(folder, "server") })).toMatchObject({
      code: "spawn_failed",
      message: expect.stringContaining("there is no such file"),
    });
  });

  it("a command line instead of a command", async () => {
    expect(await failureOf({ command: "npx -y some-server" })).toMatchObject({
      message: expect.stringContaining("`command` is the program alone, its arguments belong in `args`"),
    });
  });

  it("a command line instead of a command, of which only the program is shown: what follows may be a secret", async () => {
    const secret = "hunter2hunter2";
    for (const command of [`no-such --token ${secret}`, `  ./no-such\t${secret} x`, `E ${secret}`]) {
      const failure = await failureOf({ command });
      expect(failure).toMatchObject({
        code: "spawn_failed",
        message: expect.stringMatching(
          /cannot start "(?:no-such|\.\/no-such|E) …": there is no such program; `command` is/,
        ),
      });
      const { cause } = failure as Error;
      expect(cause).toBeInstanceOf(Error);
      const shown = [inspect(failure), JSON.stringify(failure), inspect(cause), String((cause as Error).stack)];
      expect(shown.join("\n")).not.toContain(secret);
    }
  });

  it("a name without a PATH to look it up on", async () => {
    expect(await failureOf({ command: "no-such-program", inheritEnv: "none" })).toMatchObject({
      message: expect.stringContaining("its environment has no PATH"),
    });
  });

  it("a file that is not executable, with its path and mode", async () => {
    const file = join(folder, "server");
    await writeFile(file, "#!/bin/sh\n", { mode: 0o644 });
    const message = expect.stringContaining(`${file} is not executable (mode 644)`);
    expect(await failureOf({ command: file })).toMatchObject({
      code: "spawn_failed",
      cause: { code: "EACCES" },
      message,
    });
    expect(await failureOf({ command: "./server", cwd: folder })).toMatchObject({ code: "spawn_failed", message });
    expect(await failureOf({ command: "server", env: { PATH: folder } })).toMatchObject({
      code: "spawn_failed",
      message,
    });
  });

  it("a script whose interpreter is missing", async () => {
    const file = join(folder, "server");
    await writeFile(file, "#! /no/such/interpreter -x\n", { mode: 0o755 });
    expect(await failureOf({ command: file })).toMatchObject({
      message: expect.stringContaining(`the interpreter /no/such/interpreter, which the first line of ${file} names`),
    });
  });

  it("a directory", async () => {
    expect(await failureOf({ command: folder })).toMatchObject({
      message: expect.stringContaining(`${folder} is a directory`),
    });
  });

  it.each([
    ["does not exist", async () => {}],
    ["is not a directory", async (path: string) => writeFile(path, "")],
  ])("a working directory that %s", async (what, prepare) => {
    const cwd = join(folder, "there");
    await prepare(cwd);
    expect(await failureOf({ command: process.execPath, cwd })).toMatchObject({
      code: "spawn_failed",
      details: { field: "cwd" },
      message: `[spawn_failed] server "github": the working directory ${JSON.stringify(cwd)} ${what}`,
    });
  });

  it("a system that is out of open files: retryable, also when spawn throws", async () => {
    const emfile = Object.assign(new Error("spawn EMFILE"), { code: "EMFILE" });
    const thrown = await failureOf(
      { command: "server" },
      {
        spawn: () => {
          throw emfile;
        },
      },
    );
    const emitted = await failureOf(
      { command: "server" },
      {
        // What Node returns then: a process without an id and without pipes.
        spawn: () => {
          const child = new ChildProcess();
          process.nextTick(() => child.emit("error", emfile));
          return child;
        },
      },
    );
    for (const error of [thrown, emitted])
      expect(error).toMatchObject({ code: "spawn_failed", retryable: true, cause: emfile });
  });
});

it("openStdio() where there are no processes throws unsupported_transport", async () => {
  const spec = { id: "github", type: "stdio", command: "server" } as const;
  await expect(openUnavailable(spec, createTransportContext(spec, listeners))).rejects.toMatchObject({
    code: "unsupported_transport",
    serverId: "github",
  });
});
