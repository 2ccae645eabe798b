// What needs Node: the file of an audit log.
export { openAuditFile, verifyAuditFiles, type AuditFileOptions } from "./node/audit-file.ts";
