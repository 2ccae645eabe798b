import { createMemoryLock, createMemoryStore, HostsideError } from "@hostside/core";
import type {
  CallHandler,
  CallOptions,
  Interceptor,
  JsonObject,
  ToolCall,
  ToolDefinition,
  ToolOutcome,
} from "@hostside/core";
import { createCallPipeline } from "@hostside/core/implement";
import { useVirtualClock, type VirtualClock } from "../../provider/test/simulation/virtual-clock.ts";
import type { Policy } from "../src/policy.ts";
import type { CircuitEvent, PolicyEvent } from "../src/policy-event.ts";
import type { PolicyParts } from "../src/refuse.ts";

/** The parts of a policy in a world of its own time, and what it told. */
export interface StageWorld {
  readonly clock: VirtualClock;
  readonly events: PolicyEvent[];
  readonly parts: PolicyParts;
  /** Sends a call through layers to a handler, bounded as in a provider. */
  readonly send: (call: ToolCall, layers: readonly Interceptor[], handler?: CallHandler) => Promise<ToolOutcome>;
  readonly eventTypes: () => readonly string[];
}

/** Makes a world at time 0. */
export function createStageWorld(): StageWorld {
  const clock = useVirtualClock();
  const events: PolicyEvent[] = [];
  const pipelines = new WeakMap<readonly Interceptor[], ReturnType<typeof createCallPipeline>>();
  return {
    clock,
    events,
    parts: {
      store: createMemoryStore(),
      lock: createMemoryLock(),
      emit: (event) => void events.push(event),
    },
    send(call, layers, handler = answerOk) {
      const pipeline = pipelines.get(layers) ?? createCallPipeline({ interceptors: layers });
      pipelines.set(layers, pipeline);
      return pipeline.run(call, handler);
    },
    eventTypes: () => events.map(({ type }) => type),
  };
}

/** A handler behind the seam of a policy, as a provider puts it. */
export function behindSeam({ requestSeam: seam }: Pick<Policy, "requestSeam">, handler: CallHandler): CallHandler {
  if (seam === undefined) return handler;
  return (call) => {
    const { context, signal } = call.options;
    return seam({ serverId: call.origin.serverId, method: "tools/call", call, context, signal }, () => handler(call));
  };
}

/** What a call of a test is made from. */
export interface CallInit {
  readonly serverId?: string;
  readonly toolName?: string;
  readonly args?: JsonObject;
  readonly options?: CallOptions;
  readonly definition?: Partial<ToolDefinition>;
  readonly labels?: Readonly<Record<string, string>>;
}

/** Makes a call of `echo` on `s`, unless told otherwise. */
export function callOf({
  serverId = "s",
  toolName = "echo",
  args = {},
  options = {},
  definition,
  labels = {},
}: CallInit = {}): ToolCall {
  const origin = { serverId, toolName, qualifiedName: `mcp::${serverId}::${toolName}` };
  return {
    origin,
    definition: {
      name: `mcp_${serverId}_${toolName}`,
      description: "",
      inputSchema: { type: "object" },
      origin,
      ...definition,
    },
    server: { id: serverId, labels },
    args,
    options,
  };
}

/** Answers as a server does that is well. */
export async function answerOk({ origin }: ToolCall): Promise<ToolOutcome> {
  return {
    content: [{ type: "text", text: "ok" }],
    isError: false,
    origin,
    raw: { content: [{ type: "text", text: "ok" }] },
  };
}

/** A failure as a provider throws it. */
export function failureOf(
  code: HostsideError["code"],
  rest: Partial<Pick<HostsideError, "outcome" | "details" | "cause">> = {},
): HostsideError {
  return new HostsideError("failed", { code, serverId: "s", toolName: "echo", ...rest });
}

/** Lets everything happen that does not need time to pass. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 2; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** What a promise rejects with. */
export async function rejectionOf(work: Promise<unknown>): Promise<HostsideError> {
  try {
    await work;
  } catch (error) {
    return error as HostsideError;
  }
  throw new Error("it did not reject");
}

/** What was told last of each circuit, by server and tool. */
export function lastOfEach(events: readonly PolicyEvent[]): readonly CircuitEvent[] {
  const ofCircuits = events.filter((event): event is CircuitEvent => event.type.startsWith("circuit-"));
  return Array.from(
    new Map(ofCircuits.map((event) => [JSON.stringify([event.serverId, event.toolName]), event])).values(),
  );
}
