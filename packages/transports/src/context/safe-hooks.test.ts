import { HostsideError } from "@hostside/core";
import { describe, expect, it, vi } from "vitest";
import { SafeHooks } from "./safe-hooks.ts";

const error = new HostsideError("gone", { code: "server_exited" });

describe("SafeHooks", () => {
  it("calls nothing after silence(), and nothing after onDown", () => {
    for (const end of ["silence", "onDown"] as const) {
      const hooks = { onToolsChanged: vi.fn<() => void>(), onDown: vi.fn<(error: HostsideError) => void>() };
      const guarded = new SafeHooks(hooks);
      guarded.run("onToolsChanged");
      if (end === "silence") guarded.silence();
      else guarded.run("onDown", error);
      guarded.run("onToolsChanged");
      guarded.run("onDown", error);
      guarded.onDiagnostic({ kind: "fallback", serverId: "s", message: "m" });
      expect([hooks.onToolsChanged.mock.calls.length, hooks.onDown.mock.calls.length]).toEqual([
        1,
        end === "onDown" ? 1 : 0,
      ]);
    }
  });

  it("does not let a hook that throws into the middle of the reading", async () => {
    const uncaught = vi.fn<(error: Error) => void>();
    process.once("uncaughtException", uncaught);
    const guarded = new SafeHooks({
      onDown: () => undefined,
      onToolsChanged: () => {
        throw new Error("hook");
      },
    });
    guarded.run("onToolsChanged");
    await vi.waitFor(() => expect(uncaught).toHaveBeenCalledWith(new Error("hook"), "uncaughtException"), 60_000);
  });
});
