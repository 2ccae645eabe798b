import {
  createMemoryLock,
  createMemoryStore,
  type AdmissionServer,
  type CallOptions,
  type JsonObject,
  type ToolCall,
  type ToolDefinition,
  type ToolOutcome,
} from "@hostside/core";
import type { PolicyEvent } from "../src/policy-event.ts";
import type { PolicyParts } from "../src/refuse.ts";
import { useTestClock } from "../../../test/manual-clock.ts";

/** Parts with a clock that stands still until it is moved, and with the events that were told. */
export interface StageParts extends PolicyParts {
  readonly events: PolicyEvent[];
  moveTo(now: number): void;
}

export function stageParts(): StageParts {
  const events: PolicyEvent[] = [];
  let now = 0;
  useTestClock({ now: () => now, schedule: () => () => {}, date: () => now });
  return {
    store: createMemoryStore(),
    lock: createMemoryLock(),
    emit: (event) => void events.push(event),
    events,
    moveTo: (time) => void (now = time),
  };
}

export interface CallGiven {
  readonly args?: JsonObject;
  readonly options?: CallOptions;
  readonly serverId?: string;
  readonly toolName?: string;
  readonly definition?: Partial<ToolDefinition>;
  readonly server?: Partial<AdmissionServer>;
}

export function stageCall({
  args = {},
  options = {},
  serverId = "s",
  toolName = "t",
  definition,
  server,
}: CallGiven = {}): ToolCall {
  const origin = { serverId, toolName, qualifiedName: `mcp::${serverId}::${toolName}` };
  return {
    origin,
    definition: {
      name: `mcp_${serverId}_${toolName}`,
      description: "",
      inputSchema: { type: "object" },
      fingerprint: "sha256-1",
      origin,
      ...definition,
    },
    args,
    options,
    ...(server && { server: { id: serverId, labels: {}, ...server } }),
  };
}

export function outcomeOf(init: Partial<ToolOutcome> = {}): ToolOutcome {
  const { content = [{ type: "text", text: "ok" }], isError = false } = init;
  const origin = { serverId: "s", toolName: "t", qualifiedName: "mcp::s::t" };
  const { structuredContent } = init;
  const raw = { content, ...(structuredContent !== undefined && { structuredContent }) };
  return { content, isError, origin, raw, ...init };
}
