import { startFaultServer } from "@hostside/fixtures";
import { createToolbox } from "@hostside/discovery";
import { createProvider } from "@hostside/provider";
import { createConnector } from "@hostside/transports";
import { expect, it } from "vitest";
import { createCallLog, type CallEntry } from "../src/log.ts";

it("writes of one call what it waited for, each time that it was sent, and why it ended", async () => {
  await using server = await startFaultServer({ transport: "http", script: "session-expired" });
  await using provider = createProvider({
    connector: createConnector(),
    servers: [{ id: "s", ...server.spec }],
  });
  const entries: CallEntry[] = [];
  const toolbox = createToolbox({
    providers: [provider],
    interceptors: [
      createCallLog({
        write(entry) {
          entries.push(entry);
          throw new Error("a logger that throws");
        },
      }),
    ],
  });
  await toolbox.init();
  const tool = toolbox.tools().find(({ origin }) => origin?.serverId === "s")?.name ?? "";
  await toolbox.call(tool, { secret: "hidden" }, { context: { conversation: "c" } });
  await toolbox.call(tool, {}, { timeoutMs: 1, signal: AbortSignal.abort() }).catch(() => undefined);
  const entry = JSON.parse(JSON.stringify(entries[0])) as CallEntry;
  expect(entry).toMatchObject({
    type: "call",
    server: "s",
    name: tool,
    effect: "external",
    context: { conversation: "c" },
    ended: "ok",
    decisions: [],
    sends: [
      { session: 1, transport: "http", requests: 1, code: "session_expired", sentBytes: expect.any(Number) },
      { session: 2, transport: "http", requests: 1, receivedBytes: expect.any(Number) },
    ],
  });
  expect(entry.waitMs.connect + entry.waitMs.list).toBeGreaterThan(0);
  expect(entry.durationMs).toBeGreaterThanOrEqual(entry.wireMs);
  expect(JSON.stringify(entries)).not.toContain("hidden");
  toolbox.close();
});
