import { expect, it } from "vitest";
import { describePeer } from "./describe-peer.ts";

it("describePeer() says the id of the session that there is when it is read, to whoever asks for it by name", () => {
  const server = { era: "legacy", protocolVersion: "2025-11-25", capabilities: {} } as const;
  const connection = { server, sessionId: "first" };
  const spec = { id: "s", transport: { kind: "http", url: "http://localhost/mcp" } } as const;
  const peer = describePeer(spec, 1, connection);
  connection.sessionId = "second";
  expect(peer.sessionId).toBe("second");
  expect(JSON.stringify([peer, { ...peer }, Reflect.ownKeys(peer)])).not.toContain("second");
  expect(describePeer(spec, 2).sessionId).toBeUndefined();
});
