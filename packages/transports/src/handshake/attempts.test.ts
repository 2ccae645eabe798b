import { HostsideError } from "@hostside/core";
import { createDeadline } from "@hostside/core/implement";
import { expect, it } from "vitest";
import { createFakeTransport } from "../../test/fake-transport.ts";
import { useManualClock } from "../../../../test/manual-clock.ts";
import { makeAttempt } from "./attempts.ts";
import { createServerContext } from "../../test/server-context.ts";
import { SafeHooks } from "../context/safe-hooks.ts";
import { EraCache } from "./next-attempt.ts";

it.each([
  { handshake: "legacy", operation: "initialize" },
  { handshake: "modern", operation: "server/discover" },
  { handshake: "probe", operation: "server/discover" },
] as const)("names $operation when a server is gone as soon as $handshake begins", async (row) => {
  useManualClock();
  const host = createFakeTransport();
  host.start = async () => host.die(new HostsideError("exited", { code: "server_exited", serverId: "srv" }));
  const context = createServerContext();
  const hooks = new SafeHooks({ onToolsChanged: () => undefined, onDown: () => undefined });
  const failed = await makeAttempt(
    {
      context: {
        ...context,
        spec: { id: "srv", type: "stdio", command: "none" },
        identity: { info: { name: "test", version: "1" }, capabilities: {} },
        eraCache: new EraCache(),
        deadline: createDeadline({ timeoutMs: 1000, onTimeout: () => new Error("not in this test") }),
        opening: undefined,
        elicitor: undefined,
        hooks,
      },
      events: { hooks, onDown: () => undefined },
      open: async () => host,
    },
    { channel: "stdio", handshake: row.handshake },
  );
  expect(failed).toMatchObject({
    error: { code: "server_exited", outcome: "not-sent", details: { operation: row.operation } },
    didInitialize: row.operation === "initialize",
  });
});
