import type { Diagnostic, ToolsChange } from "@hostside/core";
import { createEvent } from "@hostside/core/implement";
import { expect, it } from "vitest";
import { useManualClock } from "../../../../test/manual-clock.ts";
import { createUnsteadyStore } from "../../test/unsteady-store.ts";
import { createKeptNames } from "./keep-names.ts";

it("is at rest, and reports the next outage, once the names are again those that are kept", async () => {
  const clock = useManualClock();
  const store = createUnsteadyStore();
  const diagnostics: Diagnostic[] = [];
  const kept = createKeptNames({
    store,
    providerName: undefined,
    naming: undefined,
    report: (diagnostic) => void diagnostics.push(diagnostic),
  });
  const toolsChanged = createEvent<ToolsChange>();
  let localName = "mcp_a_one";
  kept.follow(
    { onToolsChanged: toolsChanged.on },
    { savedNames: () => ({ version: 1, servers: [["a", [["echo", localName]]]] }) },
  );
  const change = async (name: string): Promise<void> => {
    localName = name;
    toolsChanged.emit({ added: [], removed: [], changed: ["echo"] });
    for (let turn = 0; turn < 200; turn += 1) await Promise.resolve();
  };
  await change("mcp_a_one");
  store.isDown = true;
  await change("mcp_a_two");
  expect([diagnostics.length, clock.pending()]).toEqual([1, 1]);
  await change("mcp_a_one");
  expect([diagnostics.length, clock.pending()]).toEqual([1, 0]);
  await change("mcp_a_three");
  expect([diagnostics.length, clock.pending()]).toEqual([2, 1]);
  await kept.close();
  expect(clock.pending()).toBe(0);
});
