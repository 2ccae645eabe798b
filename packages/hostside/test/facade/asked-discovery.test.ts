import { generateText, isStepCount } from "ai";
import type { PolicyOptions } from "@hostside/policy";
import { createAiSdkTools } from "hostside/ai-sdk";
import { createChatTools } from "hostside/openai";
import { describe, expect, it } from "vitest";
import { scripted } from "../../../adapters/test/mock-model.ts";
import { open, tool } from "./asking-host.ts";

describe("the discovery tools of the host", () => {
  it.each<[string, PolicyOptions]>([
    ["a default", { allow: ["files/read_*"] }],
    ["a rule for every tool", { requireApproval: ["*/*", "/*"] }],
    ["the mode of approvals", { approval: { mode: "all" } }],
  ])("need no approval by %s, as they run without one", async (_, policy) => {
    await using opened = await open({ requireApproval: [], ...policy });
    const { conversation, events } = opened;
    const calls = Object.entries({ tools_search: { query: "write" }, tools_groups: {}, tools_select: { query: "x" } });
    const searching = await opened.another({ id: "43", maxToolTokens: 1 });
    for (const [name, args] of calls) {
      expect(await searching.call(name, args)).toMatchObject({ isError: false });
      const toolCall = { id: name, type: "function", function: { name, arguments: JSON.stringify(args) } } as const;
      expect(await createChatTools(searching).toApprove({ tool_calls: [toolCall] })).toEqual([]);
      const settings = { ...createAiSdkTools(searching), stopWhen: isStepCount(5) };
      const { text } = await generateText({ ...settings, model: scripted([[[name, args]], "done"]), prompt: "find" });
      expect(text).toBe("done");
    }
    expect(events).toEqual([]);
    const [asked] = conversation.tools().filter(({ name }) => name === tool);
    expect(asked && conversation.approval.requires(asked)).toBe(true);
  });
});
