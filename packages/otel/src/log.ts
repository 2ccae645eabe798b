// Records of calls without telemetry: nothing here needs `@opentelemetry/api`.
export { createCallLog, type CallLogOptions } from "./records/create-call-log.ts";
export type { CallEntry } from "./records/create-call-log.ts";
