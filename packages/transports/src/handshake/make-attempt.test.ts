import { ToolportError } from "@toolport/core";
import { createDeadline } from "@toolport/core/implement";
import { expect, it } from "vitest";
import { createFakeTransport } from "../../test/fake-transport.ts";
import { createManualClock } from "../../test/manual-clock.ts";
import { establish } from "./make-attempt.ts";
import { createServerContext } from "../../test/server-context.ts";

it.each([
  { handshake: "legacy", operation: "initialize" },
  { handshake: "modern", operation: "server/discover" },
  { handshake: "probe", operation: "server/discover" },
] as const)("names $operation when a server is gone as soon as $handshake begins", async (row) => {
  const clock = createManualClock();
  const host = createFakeTransport();
  host.start = async () => host.die(new ToolportError("exited", { code: "server_exited", serverId: "srv" }));
  const failed = await establish(
    {
      identity: { info: { name: "test", version: "1" }, capabilities: {} },
      context: createServerContext({ clock }),
      events: {
        onListChanged: () => undefined,
        onResourceUpdated: () => undefined,
        onMissed: () => undefined,
        onLog: () => undefined,
        onDown: () => undefined,
      },
      maxNotificationsPerSecond: 200,
      maxPauseMs: 900_000,
      random: () => 0,
      probeMs: 1000,
      deadline: createDeadline({ timeoutMs: 1000, clock, onTimeout: () => new Error("not in this test") }),
      open: async () => host,
      createElicitor: undefined,
      onOverdue: () => undefined,
    },
    { channel: "stdio", handshake: row.handshake },
  );
  expect(failed).toMatchObject({
    error: { code: "server_exited", outcome: "not-sent", details: { operation: row.operation } },
    didInitialize: row.operation === "initialize",
  });
});
