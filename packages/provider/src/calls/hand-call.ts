import type { CallOptions, Connection, JsonObject, ToolCall } from "@hostside/core";

/** Hands a call to a connection in words of its own; `options` have what is left of its time. */
export type HandCall = (connection: Connection, call: ToolCall, options: CallOptions) => Promise<JsonObject>;
