import { isHostsideError, type Connector, type ServerSpec } from "@hostside/core";
import type { EraFacts } from "../facts.ts";
import { failureFacts } from "./failure-facts.ts";

/** How an era is tried. */
export interface EraTrial {
  readonly connector: Connector;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** Connects in one era, and ends the connection. Never rejects. */
export async function tryEra(
  spec: ServerSpec,
  era: "legacy" | "2026-07-28",
  { connector, timeoutMs, signal }: EraTrial,
): Promise<EraFacts> {
  const hooks = { onToolsChanged: ignore, onDown: ignore, isInteractive: () => false };
  const timeouts = { ...spec.timeouts, connectMs: timeoutMs };
  const startedAt = performance.now();
  try {
    const connection = await connector.connect({ ...spec, era, timeouts }, hooks, signal);
    const ms = Math.round(performance.now() - startedAt);
    const { protocolVersion } = connection.server;
    await connection.close("doctor is done");
    return { works: true, protocolVersion, ms };
  } catch (error) {
    return { works: false, failure: failureFacts(error) };
  }
}

/**
 * Whether another era may do better than the one that failed: the server was there, and nothing
 * came of talking to it.
 */
export function mayBeEra(error: unknown): boolean {
  return (
    isHostsideError(error) &&
    ["handshake_failed", "unsupported_protocol", "protocol_error", "http_error"].includes(error.code)
  );
}

function ignore(): void {}
