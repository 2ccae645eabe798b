// Records of calls for any logger.
export { createCallLog } from "@hostside/otel/log";
export type { CallEntry } from "@hostside/otel/log";
