import { expect, it } from "vitest";
import { isPlainObject } from "@hostside/core/implement";
import { describePeer } from "./connection-hooks.ts";

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
  const holders: readonly object[] = [peer, Object.getPrototypeOf(peer)];
  const values = holders.flatMap((holder) =>
    Reflect.ownKeys(holder).map((key) => Object.getOwnPropertyDescriptor(holder, key)?.value as unknown),
  );
  expect(values.filter((value) => value === connection || value === server)).toEqual([]);
  expect(Object.isFrozen(peer)).toBe(true);
  // One that inherits from it is none itself.
  expect((Object.create(peer) as typeof peer).sessionId).toBeUndefined();
});

it("describePeer() makes plain data, and lets nobody change what all peers say of their session", () => {
  const connection = {
    server: { era: "legacy", protocolVersion: "2025-11-25", capabilities: {} },
    sessionId: "first",
  } as const;
  const peer = describePeer({ id: "s", type: "memory", serve: () => undefined }, 1, connection);
  const shared: object = Object.getPrototypeOf(peer);
  expect(isPlainObject(peer)).toBe(true);
  expect(Reflect.defineProperty(shared, "sessionId", { get: () => "forged" })).toBe(false);
  expect(Object.getOwnPropertyDescriptor(shared, "constructor")?.value).toBe(Object);
  expect(peer.sessionId).toBe("first");
});
