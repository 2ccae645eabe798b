// For pipelines and test suites of server authors: run the checks, read the report.
export { checkServer, type CheckServerOptions } from "./server/check-server.ts";
export { serverChecks } from "./server/checks/server-checks.ts";
export type { ServerCheck } from "./server/checks/define-check.ts";
export type { ServerAddress } from "./server/server-address.ts";
export type { CallConsent } from "./server/consented-tools.ts";
export { parseBaseline, type Baseline } from "./engine/baseline.ts";

// The report, and what it looks like in each format.
export type { Check, CheckInfo, CheckResult, Finding, Level } from "./engine/check.ts";
export type { HostPreview } from "./engine/run-report.ts";
export { exitCodes, type RunReport } from "./engine/run-report.ts";
export type { TraceEvent } from "./engine/trace.ts";
export { toHtml } from "./report/html-report.ts";
export { toJson } from "./report/json-report.ts";
export { toJunit } from "./report/junit-report.ts";
export { toMarkdown } from "./report/markdown-report.ts";
export { toSarif } from "./report/sarif-report.ts";
export { toTerminal } from "./report/terminal-report.ts";
export type { TextStyle } from "./report/text-style.ts";
