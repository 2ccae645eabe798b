// Names of the semantic conventions for MCP and generative AI, which are still in development and
// stand in no stable package: https://github.com/open-telemetry/semantic-conventions-genai. Below
// them, what is Hostside's own.

import type { Attributes } from "@opentelemetry/api";

/** Names of attributes of spans and metrics. */
export const attribute = {
  method: "mcp.method.name",
  protocolVersion: "mcp.protocol.version",
  resourceUri: "mcp.resource.uri",
  operation: "gen_ai.operation.name",
  tool: "gen_ai.tool.name",
  toolType: "gen_ai.tool.type",
  prompt: "gen_ai.prompt.name",
  arguments: "gen_ai.tool.call.arguments",
  result: "gen_ai.tool.call.result",
  conversation: "gen_ai.conversation.id",
  errorType: "error.type",
  requestId: "jsonrpc.request.id",
  rpcStatus: "rpc.response.status_code",
  transport: "network.transport",
  address: "server.address",
  port: "server.port",
  server: "hostside.server",
  localName: "hostside.tool",
  effect: "hostside.effect",
  outcome: "hostside.outcome",
  sends: "hostside.sends",
  session: "hostside.session",
  wait: "hostside.wait",
  connectWait: "hostside.wait.connect",
  listWait: "hostside.wait.list",
  turnWait: "hostside.wait.turn",
  phase: "hostside.phase",
  sentBytes: "hostside.sent_bytes",
  receivedBytes: "hostside.received_bytes",
  correlation: "hostside.correlation.id",
  principal: "hostside.principal",
  decision: "hostside.decision",
  stage: "hostside.stage",
  reason: "hostside.reason",
  direction: "network.io.direction",
  toolCount: "hostside.tools",
} as const;

/** The instrumentation scope of spans and metrics. */
export const scopeName = "@hostside/otel";

/** Stands for all values beyond the bound. */
export const otherValue = "_other";

/** Stands for names that a client made up, or that are not known to be anything. */
export const inventedValue = "_OTHER";

/** Takes the attributes out of an object that have no value: metrics and events would keep them. */
export function withoutAbsent(attributes: Attributes): Attributes {
  for (const key in attributes) if (attributes[key] === undefined) delete attributes[key];
  return attributes;
}
