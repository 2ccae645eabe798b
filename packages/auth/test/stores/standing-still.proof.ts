import { fork } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { openSharedStore, sharedKinds } from "../processes/open-shared-store.ts";

const program = fileURLToPath(new URL("holder.mjs", import.meta.url));
const key = { kind: "account", serverId: "github" } as const;

describe.each(sharedKinds)(
  "the lock of a $kind store",
  ({ kind, isHere }) => {
    it.skipIf(!isHere)(
      `is lost for a process that stood still so long that another has it, before that process does anything more${isHere ? "" : " (there is none on this machine)"}`,
      async () => {
        const shared = await openSharedStore(kind);
        const folder = await mkdtemp(join(tmpdir(), "toolport-still-"));
        const log = join(folder, "log");
        writeFileSync(log, "");
        const options = JSON.stringify({ place: shared.place, key, log });
        const holder = fork(program, [options], { execArgv: [], stdio: ["ignore", "ignore", "inherit", "ipc"] });
        try {
          await once(holder, "message");
          await new Promise((resolve) => setTimeout(resolve, 300));
          holder.kill("SIGSTOP");
          await shared.store.withLock(key, 60_000, async () => {
            appendFileSync(log, "second\n");
            const ended = once(holder, "exit");
            holder.kill("SIGCONT");
            await ended;
          });
          const lines = readFileSync(log, "utf8").trim().split("\n");
          expect(lines.length).toBeGreaterThan(10);
          expect(lines.indexOf("second")).toBe(lines.length - 1);
        } finally {
          holder.kill("SIGKILL");
          await shared.close();
          await rm(folder, { recursive: true });
        }
      },
    );
  },
  60_000,
);
