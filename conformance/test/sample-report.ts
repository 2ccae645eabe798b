import type { CheckInfo, CheckResult, Finding } from "../src/engine/check.ts";
import { judgeRun } from "../src/engine/judge-run.ts";
import type { RunReport } from "../src/engine/run-report.ts";
import type { TraceEvent } from "../src/engine/trace.ts";

const nasty = `</code><script>alert("x")</script> & ' \u0000 \`\`\``;

/** A report with one result of every kind, and with text that breaks what does not escape it. */
export function sampleReport(more: Partial<RunReport> = {}): RunReport {
  const trace: readonly TraceEvent[] = [
    { atMs: 0.4, kind: "process", session: "#1", text: "started node server.js (pid 1)" },
    { atMs: 12.3, kind: "stdout", session: "#1", text: nasty },
  ];
  const results: readonly CheckResult[] = [
    result("stdio/purity", "MUST", { status: "fail", observed: `at byte 0: ${nasty}`, trace }),
    result("stdio/exit", "SHOULD", { status: "fail", observed: "still running" }),
    result("stdio/split", "MUST", { status: "pass", observed: "answered" }),
    result("tools/list", "MUST", { status: "could-not-run", reason: "needs stdio/purity", cause: "stdio/purity" }),
    result("tools/names", "HOST", { status: "not-applicable", reason: "no tools" }),
    { ...result("tools/order", "MUST", { status: "fail", observed: "another order" }), baselined: "known since May" },
  ];
  return {
    schemaVersion: 1,
    kit: { name: "@hostside/conformance", version: "1.2.3" },
    side: "server",
    target: `node server.js ${nasty}`,
    identity: { name: "sample", version: "4.5.6", protocolVersions: ["2025-06-18", "2025-11-25"] },
    startedAt: "2026-11-22T01:02:03.004Z",
    durationMs: 1234,
    seed: 7,
    strict: false,
    ...judgeRun(results, { stale: ["tools/old: passes now; remove the entry"] }),
    results,
    staleBaseline: ["tools/old: passes now; remove the entry"],
    trace,
    preview: {
      tools: [{ name: "mcp_sample_echo", toolName: "echo" }],
      groups: [{ id: "mcp:sample", title: "sample", members: 1 }],
      notes: ["tool-dropped: no name"],
    },
    ...more,
  };
}

function result(id: string, level: CheckInfo["level"], finding: Finding): CheckResult {
  const check: CheckInfo = {
    id,
    title: `Title of ${id}`,
    level,
    requirement: { sentence: "A rule.", section: "A section", url: "https://example.com/#rule" },
    legal: ["this", "that"],
    fix: "Mend it.",
  };
  return { check, finding, durationMs: 5 };
}
