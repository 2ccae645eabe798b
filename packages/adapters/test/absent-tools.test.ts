import { createAiSdkTools } from "@hostside/adapters/ai-sdk";
import { generateText } from "ai";
import { describe, expect, it } from "vitest";
import { resultsIn, scripted, settingsOf } from "./mock-model.ts";
import { results } from "./outcomes.ts";
import { sampleSource } from "./sample-source.ts";

describe("createAiSdkTools()", () => {
  it.each(["gone", "__proto__"])(
    "answers an approved call of %s, which the source does not have, with an error",
    async (name) => {
      const hostside = createAiSdkTools(sampleSource(results.success));
      const call = { toolCallId: "1", toolName: name, input: {} };
      const model = scripted(["ok"]);
      const { text } = await generateText({
        model,
        messages: [
          { role: "user", content: "go" },
          {
            role: "assistant",
            content: [
              { type: "tool-call", ...call },
              { type: "tool-approval-request", approvalId: "a", toolCallId: "1" },
            ],
          },
          { role: "tool", content: [{ type: "tool-approval-response", approvalId: "a", approved: true }] },
        ],
        ...settingsOf(hostside),
      });
      expect(text).toBe("ok");
      expect(resultsIn(model.doGenerateCalls[0]?.prompt)).toMatchObject([
        { type: "error-json", value: { code: "unknown_tool", outcome: "not-sent" } },
      ]);
      expect(model.doGenerateCalls[0]?.tools?.map((tool) => tool.name)).not.toContain(name);
    },
  );
});
