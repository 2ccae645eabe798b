import type { CallDecision } from "@hostside/core";
import { createToolbox } from "@hostside/discovery";
import { expect, it } from "vitest";
import { createPolicy } from "../src/policy.ts";

it("tells the observer of a call what was decided about it, and of no other call", async () => {
  const policy = createPolicy({
    approval: { handler: async () => "once" },
    deny: ["/no"],
    requireApproval: ["/maybe"],
    defaultDecision: "allow",
  });
  const tools = ["no", "maybe", "yes"].map((name) => ({
    definition: { name, description: name, inputSchema: { type: "object" } },
    run: () => name,
  }));
  const toolbox = createToolbox({ tools, interceptors: policy.interceptors });
  const decided = async (name: string): Promise<readonly unknown[]> => {
    const heard: CallDecision[] = [];
    const observer = { onDecision: (decision: CallDecision) => heard.push(decision) };
    await toolbox.call(name, {}, { observer }).catch(() => undefined);
    return heard.map(({ type, stage, decision, code }) => [type, stage ?? decision, code]);
  };
  const all = await Promise.all([decided("no"), decided("maybe"), decided("yes")]);
  expect(all).toEqual([
    [["refused", "rules", "not_allowed"]],
    [
      ["approval-asked", undefined, undefined],
      ["approval-answered", "once", undefined],
    ],
    [],
  ]);
  toolbox.close();
});
