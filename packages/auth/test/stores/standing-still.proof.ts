import { spawn } from "node:child_process";
import { once } from "node:events";
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
        const options = JSON.stringify({ place: shared.place, key });
        const holder = spawn(process.execPath, [program, options], { stdio: ["pipe", "pipe", "inherit"] });
        const answer = async (): Promise<string> => String((await once(holder.stdout, "data"))[0]);
        const tell = async (): Promise<string> => {
          const answered = answer();
          holder.stdin.write(".");
          return answered;
        };
        try {
          expect(await answer()).toBe("held");
          expect([await tell(), await tell()]).toEqual(["did", "did"]);
          // It waits for a line, and has nothing half done: between asking and doing a process may
          // always be stopped.
          holder.kill("SIGSTOP");
          await shared.store.withLock(key, 60_000, async () => {
            const answered = tell();
            holder.kill("SIGCONT");
            expect(await answered).toBe("lost");
          });
        } finally {
          holder.kill("SIGKILL");
          await shared.close();
        }
      },
    );
  },
  60_000,
);
