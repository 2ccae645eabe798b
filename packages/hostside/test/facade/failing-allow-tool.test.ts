import type { Diagnostic } from "@hostside/core";
import { createHost, type HostOptions } from "hostside";
import { expect, it } from "vitest";
import { createFakeConnector } from "./fake-connector.ts";

it.each<[string, unknown, RegExp]>([
  [
    "throws",
    () => {
      throw new RangeError("no");
    },
    /threw RangeError/,
  ],
  ["answers true", () => true, /answered true, not "offer"/],
  ["answers nothing", () => undefined, /answered undefined/],
  ["answers a promise", async () => "offer", /answered a Promise/],
])("tells of an allowTool that %s, by which every tool is hidden", async (_, allowTool, problem) => {
  const reported: Diagnostic[] = [];
  await using host = await createHost({
    connector: createFakeConnector({ s: { tools: ["a", "b"] } }),
    servers: { s: { command: "x", required: true } },
    allowTool: allowTool as HostOptions["allowTool"],
    onDiagnostic: (diagnostic) => void reported.push(diagnostic),
  });
  expect(host.tools().filter(({ origin }) => origin?.serverId === "s")).toEqual([]);
  expect(reported.filter(({ kind, serverId }) => kind === "admission-failed" && serverId === "s")).toMatchObject([
    { serverId: "s", message: expect.stringMatching(problem) },
  ]);
});
