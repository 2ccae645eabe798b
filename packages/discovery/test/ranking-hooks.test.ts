import type { CallOptions, Diagnostic, JsonObject } from "@hostside/core";
import { describe, expect, it } from "vitest";
import { createToolbox, type ModelToolSelector } from "../src/index.ts";
import { serverTool } from "./fake-provider.ts";
import { namesIn, viewOf } from "./sample-view.ts";
import { useTestClock } from "../../../test/manual-clock.ts";

describe("tools_select with a selector", () => {
  const definitions = Array.from({ length: 20 }, (_, index) =>
    serverTool("s", `issue_${String(index).padStart(2, "0")}`),
  );

  it("lets it pick from the ranked candidates only; duplicates and strangers are ignored, the limit holds", async () => {
    const asked: Parameters<ModelToolSelector>[0][] = [];
    const view = viewOf({
      definitions,
      selector: (request) => {
        asked.push(request);
        const names = ["mcp_s_issue_07", "mcp_s_issue_07", "mcp_secret", "mcp_s_issue_03", "mcp_s_issue_01"];
        return Promise.resolve({ names, usage: { tokens: 12 } });
      },
    });
    const outcome = await view.call("tools_select", { query: "issue", limit: 2 });
    expect(namesIn(outcome.structuredContent as JsonObject)).toEqual(["mcp_s_issue_07", "mcp_s_issue_03"]);
    expect(outcome.meta).toEqual({ usage: { tokens: 12 } });
    expect(asked[0]).toMatchObject({ query: "issue", limit: 2 });
    expect(asked[0]?.candidates).toHaveLength(20);
  });

  it("falls back to the ranking when the choice is of no use, and still reports its usage", async () => {
    const view = viewOf({ definitions, selector: () => Promise.resolve({ names: ["nobody"], usage: { tokens: 3 } }) });
    const outcome = await view.call("tools_select", { query: "issue", limit: 2 });
    expect(namesIn(outcome.structuredContent as JsonObject)).toEqual(["mcp_s_issue_00", "mcp_s_issue_01"]);
    expect(outcome.meta).toEqual({ usage: { tokens: 3 } });
  });

  it("falls back when the selector throws or answers nonsense, and says so", async () => {
    const diagnostics: Diagnostic[] = [];
    const onDiagnostic = (diagnostic: Diagnostic): void => void diagnostics.push(diagnostic);
    const broken = viewOf({
      definitions,
      toolbox: { onDiagnostic },
      selector: () => Promise.reject(new Error("key sk-1234 is wrong")),
    });
    expect((await broken.selectTools({ query: "issue" })).tools).toHaveLength(5);
    const odd = viewOf({
      definitions,
      toolbox: { onDiagnostic },
      // @ts-expect-error Not a list.
      selector: () => Promise.resolve({ names: "mcp_s_issue_07" }),
    });
    expect((await odd.selectTools({ query: "issue" })).tools).toHaveLength(5);
    expect(diagnostics.map(({ kind }) => kind)).toEqual(["fallback"]);
    expect(JSON.stringify(diagnostics)).not.toContain("sk-1234");
  });

  it("keeps a call no longer than its time, its caller and the toolbox let it, whatever it does", async () => {
    const toolbox = createToolbox();
    const view = toolbox.view({ selector: () => new Promise(() => {}) });
    const hanging = viewOf({ definitions, selector: () => new Promise(() => {}) });
    const select = (options: CallOptions): Promise<unknown> =>
      hanging.call("tools_select", { query: "issue" }, options);
    await expect(select({ timeoutMs: 1 })).rejects.toMatchObject({ code: "call_timeout", toolName: "tools_select" });
    await expect(select({ signal: AbortSignal.abort() })).rejects.toMatchObject({ code: "aborted" });
    // @ts-expect-error A letter of its name is wrong.
    await expect(select({ timeoutMS: 1 })).rejects.toThrow("no option");
    toolbox.close();
    await expect(view.call("tools_groups", { query: "*" })).rejects.toMatchObject({ code: "closed" });
  });

  it("is asked for a query of more than 3 characters, never for a shorter one or for explicit tools", async () => {
    let asked = 0;
    const selector = () => Promise.resolve({ names: [], usage: { asked: (asked += 1) } });
    const view = viewOf({ definitions, selector });
    await view.selectTools({ query: "iss" });
    await view.selectTools({ query: " iss " });
    await view.selectTools({ tools: ["mcp_s_issue_07"], query: "issue" });
    expect(asked).toBe(0);
    await view.selectTools({ query: "issu" });
    expect(asked).toBe(1);
  });

  it("is not waited for after the caller gave up: rejects with aborted", async () => {
    const controller = new AbortController();
    const selector = (): Promise<never> => {
      controller.abort();
      return new Promise(() => {});
    };
    const call = viewOf({ definitions, selector }).call(
      "tools_select",
      { query: "issue" },
      { signal: controller.signal },
    );
    await expect(call).rejects.toMatchObject({ code: "aborted" });
  });
});

describe("with an embedding ranker", () => {
  it("fuses by score; names come first all the same, and strangers are ignored", async () => {
    const view = viewOf({
      toolbox: {
        embeddingRanker: ({ definitions }) =>
          Promise.resolve(
            ["nobody", ...definitions.map(({ name }) => name).filter((name) => name.includes("slack"))].map((name) => ({
              name,
              score: 0.5,
            })),
          ),
      },
    });
    const byMeaning = await view.searchTools({ query: "tell my colleagues" });
    expect(namesIn(byMeaning)).toContain("mcp_slack_list_channels");
    const byName = await view.searchTools({ query: "create_issue" });
    expect(namesIn(byName)[0]).toBe("mcp_github_create_issue");
    expect(namesIn(byName)).not.toContain("nobody");
  });

  it("leaves the order of the words where the meaning is less sure than they are, and turns it where it is more", async () => {
    const rank = async (name: string, score: number): Promise<readonly string[]> => {
      const view = viewOf({ toolbox: { embeddingRanker: () => Promise.resolve([{ name, score }]) } });
      return namesIn(await view.searchTools({ query: "merge an issue" }));
    };
    const [best = "", next = ""] = await rank("nobody", 1);
    expect(next).not.toBe("");
    expect((await rank(next, 0))[0]).toBe(best);
    expect((await rank(next, Number.NaN))[0]).toBe(best);
    expect((await rank(next, 1))[0]).toBe(next);
  });

  it("is not asked about a word that is required", async () => {
    const view = viewOf({
      toolbox: { embeddingRanker: () => Promise.resolve([{ name: "mcp_slack_list_channels", score: 1 }]) },
    });
    expect(namesIn(await view.searchTools({ query: "+merge it" }))).toEqual(["mcp_github_merge_pull_request"]);
  });

  it("does not show it tools that the agent may not use", async () => {
    const seen: string[] = [];
    const view = viewOf({
      deny: ["MCP_slack_list_channels"],
      toolbox: {
        embeddingRanker: ({ definitions }) => {
          seen.push(...definitions.map(({ name }) => name));
          return Promise.resolve([{ name: "mcp_slack_list_channels", score: 1 }]);
        },
      },
    });
    expect(namesIn(await view.searchTools({ query: "channels" }))).not.toContain("mcp_slack_list_channels");
    expect(seen).not.toContain("mcp_slack_list_channels");
  });

  it("does without one that throws or never answers", async () => {
    const diagnostics: Diagnostic[] = [];
    const due: (() => void)[] = [];
    useTestClock({ schedule: (_, task) => (due.push(task), () => {}) });
    const onDiagnostic = (diagnostic: Diagnostic): void => void diagnostics.push(diagnostic);
    const throwing = viewOf({ toolbox: { onDiagnostic, embeddingRanker: () => Promise.reject(new Error("down")) } });
    expect(namesIn(await throwing.searchTools({ query: "merge" }))).toEqual(["mcp_github_merge_pull_request"]);
    const hanging = viewOf({ toolbox: { onDiagnostic, embeddingRanker: () => new Promise(() => {}) } });
    const search = hanging.searchTools({ query: "merge" });
    for (const task of due) task();
    expect(namesIn(await search)).toEqual(["mcp_github_merge_pull_request"]);
    expect(diagnostics.map(({ kind }) => kind)).toEqual(["fallback", "fallback"]);
  });
});
