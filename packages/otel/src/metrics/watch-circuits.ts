import { attribute } from "../names.ts";
import { quietly } from "../quietly.ts";
import type { WatchedPolicy } from "../watched.ts";
import { boundedServerId, type MetricParts } from "./call-metrics.ts";

const states: ReadonlyMap<string, number> = new Map([
  ["circuit-closed", 0],
  ["circuit-half-opened", 1],
  ["circuit-opened", 2],
]);

type PolicyNews = Parameters<Parameters<WatchedPolicy["onEvent"]>[0]>[0];

/** Writes the state that a circuit has now. */
export function measureCircuit({ type, serverId = "", toolName }: PolicyNews, parts: MetricParts): void {
  const state = states.get(type);
  if (state === undefined) return;
  quietly(() => {
    const { hostside, af } = parts.find() ?? {};
    const server = boundedServerId(serverId, parts);
    const tool = toolName === undefined ? undefined : parts.bounded.of(attribute.tool, serverId, toolName);
    hostside?.circuit.record(state, {
      [attribute.server]: server,
      ...(tool !== undefined && { [attribute.tool]: tool }),
    });
    af?.circuit.record(state, { server, ...(tool !== undefined && { tool }) });
  });
}
