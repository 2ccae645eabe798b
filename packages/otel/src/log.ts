// Records of calls, for those who want no telemetry: nothing here needs `@opentelemetry/api`.
export { createCallLog, type CallLogOptions, type EntryOptions } from "./records/create-call-log.ts";
export type { CallEntry, SentEntry } from "./records/call-entry.ts";
export { createAuditLog, type AuditLog, type AuditLogOptions } from "./audit/create-audit-log.ts";
export type { AuditProblemReport, AuditSink } from "./audit/audit-writer.ts";
export type { AuditHead } from "./audit/audit-line.ts";
export {
  verifyAuditLog,
  type AuditProblem,
  type AuditVerdict,
  type VerifyAuditOptions,
} from "./audit/verify-audit-log.ts";
