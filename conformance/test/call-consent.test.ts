import { startFaultServer, type JsonObject } from "@hostside/fixtures";
import { describe, expect, it } from "vitest";
import { judgeRun } from "../src/engine/judge-run.ts";
import type { RunReport } from "../src/engine/run-report.ts";
import { toHtml } from "../src/report/html-report.ts";
import { toMarkdown } from "../src/report/markdown-report.ts";
import { toTerminal } from "../src/report/terminal-report.ts";
import { checkServer } from "../src/server/check-server.ts";
import { serverChecks } from "../src/server/checks/server-checks.ts";
import type { CallConsent } from "../src/server/consented-tools.ts";
import { goodTool, tool } from "./mutants/mutant.ts";

const about = /^calls\/|^tools\/list$|^lifecycle\/(?:initialize|second-client)$|^requests\/probe$/;
const checks = serverChecks
  .filter(({ id }) => about.test(id))
  .map((check) => ({ ...check, needs: check.needs?.filter((id) => about.test(id)) ?? [] }));
const path: JsonObject = {
  type: "object",
  properties: { path: { type: "string", format: "uri" } },
  required: ["path"],
};

async function check(tools: readonly JsonObject[], consent?: Partial<CallConsent>): Promise<RunReport> {
  await using server = await startFaultServer({ script: { tools }, transport: "http" });
  return await checkServer({
    address: { type: "http", url: new URL(server.url) },
    checks,
    preview: false,
    ...(consent && { consent: { named: new Map(), all: false, ...consent } }),
  });
}

function lastLine(report: RunReport): string | undefined {
  return toTerminal(report).trimEnd().split("\n").at(-1);
}

describe("checks that need a tool call", () => {
  it("are counted at the end of the report when no tool may be called, with what allows them", async () => {
    const report = await check([tool("write")]);
    const waiting = report.results.filter(({ finding }) => "wants" in finding && finding.wants === "tool-calls");
    expect(waiting.length).toBeGreaterThan(5);
    expect(lastLine(report)).toBe(
      `! ${waiting.length} checks need a tool call: no tool declares itself read-only; name one with --call, or allow all with --allow-calls`,
    );
  });

  it("ask for arguments when none can be made up, whatever is allowed", async () => {
    const reader = { ...tool("read", { inputSchema: path }), annotations: { readOnlyHint: true } };
    const advice = "no arguments can be made up for a tool that may be called; give them with --call NAME='{…}'";
    expect(lastLine(await check([reader]))).toMatch(/^! \d+ checks need a tool call: /);
    expect(lastLine(await check([reader]))).toContain(advice);
    expect(lastLine(await check([tool("write", { inputSchema: path })], { all: true }))).toContain(advice);
  });

  it("leave the run incomplete when a tool that was named is not there", async () => {
    const named = {
      named: new Map([
        ["gone", undefined],
        ["echo", undefined],
      ]),
    };
    const report = await check([goodTool], named);
    expect(report.unknownTools).toEqual(["gone"]);
    expect(lastLine(report)).toBe('? the server has no tool "gone" that --call names');
    for (const view of [toMarkdown, toHtml]) expect(view(report)).toMatch(/no such tool(?:\*\*)?, named by --call/);
    const passed = report.results.filter(({ finding }) => finding.status === "pass");
    expect(judgeRun(passed, { incomplete: true })).toMatchObject({ verdict: "incomplete", exitCode: 3 });
  });

  it("are not mentioned when a tool was called, or there is none", async () => {
    for (const tools of [[goodTool], [tool("now", { annotations: { readOnlyHint: true } })], []]) {
      const report = await check(tools);
      expect(lastLine(report)).toMatch(/^\d+ passed, .* in [\d.]+ s \(seed 1\)$/);
    }
  });

  it("name the tools that were not called, and the options that allow them", async () => {
    const report = await check([goodTool, tool("add_note"), tool("fetch", { inputSchema: path })]);
    const line = "not called: add_note, fetch (no readOnlyHint); allow them with --call add_note --call 'fetch={…}'";
    expect(toTerminal(report)).toContain(`\n! ${line}\n`);
    expect(toHtml(report)).toContain("not called: add_note, fetch (no readOnlyHint)");
    expect(lastLine(await check([goodTool, tool("add_note")]))).toBe(
      "! not called: add_note (no readOnlyHint); allow it with --call add_note",
    );
    const all = await check([goodTool, tool("fetch", { inputSchema: path })], { all: true });
    expect(lastLine(all)).toBe("! not called: fetch (no arguments can be made up); allow it with --call 'fetch={…}'");
    const named = { named: new Map([["add_note", undefined]]) };
    expect((await check([goodTool, tool("add_note")], named)).uncalledTools).toBeUndefined();
  });
});
