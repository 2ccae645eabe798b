import { fixtureServer } from "@hostside/fixtures";
import { createHost } from "hostside";
import { createCallLog, type CallEntry } from "hostside/records";
import { expect, it } from "vitest";

it("records of a call which version of the server and of the tool answered it", async () => {
  const entries: CallEntry[] = [];
  await using host = await createHost({
    servers: { notes: fixtureServer("modern-stdio") },
    toolbox: { interceptors: [createCallLog({ write: (entry) => entries.push(entry) })] },
  });
  await host.call("mcp_notes_echo", { text: "hello" });
  expect(entries).toMatchObject([
    {
      server: "notes",
      serverVersion: expect.stringMatching(/^\d/),
      fingerprint: expect.stringMatching(/^sha256-[0-9a-f]{64}$/),
      tool: "echo",
      ended: "ok",
    },
  ]);
});
