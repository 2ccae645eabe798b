import { chmodSync } from "node:fs";
import { expect, it } from "vitest";
import { withStartTime } from "../../src/cli/opening/installers.ts";
import { fakeTerminal, runIn } from "../fake-terminal.ts";

it("says of a late install what it wrote last, and how to wait longer", async () => {
  using terminal = fakeTerminal();
  const npx = terminal.file("bin/npx", "#!/bin/sh\necho 'npm http fetch GET 200 big-package' >&2\nexec sleep 60\n");
  chmodSync(npx, 0o755);
  terminal.file("hostside.local.json", { servers: { slow: { type: "stdio", command: npx, args: ["-y", "big"] } } });
  const { out } = await runIn(terminal, ["list", "--timeout", "3", "--config", "hostside.local.json"]);
  expect(out).toContain("npm http fetch GET 200 big-package");
  expect(out.replaceAll(/\s+/g, " ")).toContain("it may still be installing: --timeout 120 waits longer");
});

it.each([
  [{ command: "npx", args: ["-y", "x"] }, undefined, 300_000],
  [{ command: "C:\\node\\npx.cmd" }, undefined, 300_000],
  [{ command: "uvx", args: ["x"] }, 120, 120_000],
  [{ command: "pnpm", args: ["dlx", "x"] }, undefined, 300_000],
  [{ command: "node", args: ["x.mjs"] }, undefined, undefined],
  [{ command: "node", args: ["x.mjs"] }, 120, 120_000],
  [{ command: "npx", timeouts: { connectMs: 5000 } }, 120, 5000],
])("gives %j with --timeout %s %s ms to come up", (entry, timeout, expected) => {
  expect(withStartTime({ id: "x", ...entry }, timeout).timeouts?.connectMs).toBe(expected);
});
