// For products on Node: call logs and audit logs.
export { createAuditLog, createCallLog, verifyAuditLog } from "@hostside/otel/log";
export type { AuditLogOptions, CallEntry, CallLogOptions } from "@hostside/otel/log";
export { openAuditFile, verifyAuditFiles } from "@hostside/otel/node";
