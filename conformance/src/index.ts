export type { Check, CheckContext, CheckInfo, CheckResult, Finding, Level, Requirement } from "./engine/check.ts";
export { exitCodes, type Headline, type RunReport, type Verdict } from "./engine/run-report.ts";
export type { TraceEvent } from "./engine/trace.ts";
