import { expect, it } from "vitest";
import { isPlainObject } from "@hostside/core/implement";
import { describePeer } from "./operation.ts";

it("describePeer() says the id of the session that there is when it is read, to whoever asks for it by name", () => {
  const server = { era: "legacy", protocolVersion: "2025-11-25", capabilities: {} } as const;
  const connection = { server, sessionId: "first" };
  const spec = { id: "s", type: "http", url: "http://localhost/mcp" } as const;
  const peer = describePeer(spec, 1, connection);
  connection.sessionId = "second";
  expect(peer.sessionId).toBe("second");
  expect(JSON.stringify([peer, { ...peer }, Reflect.ownKeys(peer)])).not.toContain("second");
  expect(describePeer(spec, 2).sessionId).toBeUndefined();
});

it("describePeer() gives nobody who looks at all of its members, hidden ones and symbols too, the connection", () => {
  const server = { era: "legacy", protocolVersion: "2025-11-25", capabilities: {} } as const;
  const connection = { server, sessionId: "first" };
  const peer = describePeer({ id: "s", type: "memory", serve: () => undefined }, 1, connection);
  const values = Reflect.ownKeys(peer).map((key) => Object.getOwnPropertyDescriptor(peer, key)?.value as unknown);
  expect(values.filter((value) => value === connection || value === server)).toEqual([]);
  expect(Object.isFrozen(peer)).toBe(true);
  expect(isPlainObject(peer)).toBe(true);
});
