import type { ServerSpec } from "@hostside/core";
import type { ApprovalQuestion, PolicyEvent } from "@hostside/policy";
import { createHost } from "hostside";
import { describe, expect, it } from "vitest";
import { createFakeConnector } from "./fake-connector.ts";
import { byName } from "./by-name.ts";

const servers: readonly ServerSpec[] = [{ id: "a", type: "stdio", command: "x" }];

describe("a host whose provider has a principal", () => {
  it("looks at each call once, as the principal's, though its context names nobody", async () => {
    const asked: ApprovalQuestion[] = [];
    const events: PolicyEvent[] = [];
    const onEvent = (event: PolicyEvent): void => void events.push(event);
    await using host = await createHost({
      connector: createFakeConnector(),
      servers: byName(servers),
      provider: { principal: "ann" },
      policy: {
        requireApproval: ["a/echo"],
        defaultDecision: "allow",
        approval: { handler: async (question) => (asked.push(question), "once") },
        limits: [{ name: "two", budget: { calls: 2 }, per: "principal" }],
        onEvent,
      },
    });
    await host.call("mcp_a_echo");
    await host.toolbox.view().call("mcp_a_echo");
    expect(asked.map(({ context }) => context?.principal)).toEqual(["ann", "ann"]);
    expect(events.filter(({ type }) => type === "invoked")).toHaveLength(2);
    const own = events.length;
    await host.call("results_read", { handle: "none" }).catch(() => undefined);
    const whose = events.slice(own).map((event) => ("context" in event ? event.context?.principal : undefined));
    expect(new Set(whose)).toEqual(new Set(["ann"]));
    await expect(host.call("mcp_a_echo")).rejects.toMatchObject({ code: "budget_exceeded" });
  });
});
