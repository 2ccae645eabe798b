import type { ServerInfo, ServerSpec } from "@hostside/core";
import type { KnownServer } from "@hostside/core/implement";
import { firstModernVersion } from "../message/revisions.ts";
import { createActiveClock } from "../time/active-clock.ts";
import { Wire } from "../wire/wire.ts";
import type { ConnectAttempt } from "./next-attempt.ts";
import type { AttemptInit, Established } from "./make-attempt.ts";

/**
 * What is known of a server, if that is enough to speak with it without a handshake: over HTTP in
 * 2026-07-28, where each request says all that it needs. On a pipe the first answer may be long in
 * coming, and there is no other way to find out who is there.
 */
export function assumable(spec: ServerSpec, known: KnownServer | undefined): KnownServer | undefined {
  if (known === undefined || spec.url === undefined || spec.mode === "sse" || spec.era === "legacy") return undefined;
  return known.server.era === "modern" && known.server.protocolVersion === firstModernVersion ? known : undefined;
}

/**
 * Puts a wire on a transport and takes the server for the one that it was. Nothing is sent. Throws
 * what opening the transport does.
 */
export async function assumeServer(
  { context, events, open }: Pick<AttemptInit, "context" | "events" | "open">,
  server: ServerInfo,
): Promise<Established> {
  const { identity, opening, createElicitor, lasting } = context;
  const attempt: ConnectAttempt = { channel: "streamable", handshake: "modern" };
  const transport = await open(attempt);
  const activeClock = createActiveClock();
  const elicitor = createElicitor?.(activeClock);
  const wire = new Wire({ transport, identity, context: lasting, events, activeClock, elicitor, opening });
  await wire.start();
  wire.setProtocolVersion(server.protocolVersion);
  const { era, protocolVersion, instructions, capabilities, name, title, version, description } = server;
  const implementation = { name, title, version, description };
  const claimed = { era, protocolVersion, implementation, instructions, capabilities };
  return { attempt, wire, elicitor, claimed, isCertain: false };
}
