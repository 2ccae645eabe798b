import type { ServerPeer, ServerRecord } from "@hostside/core";
import { expect, it } from "vitest";
import { createOpenPeers } from "./open-peers.ts";

const record = (operation: ServerRecord["operation"], peer: Partial<ServerPeer> = {}): ServerRecord =>
  ({
    serverId: "s",
    operation,
    peer: { transport: "http", session: 1, protocolVersion: "2025-11-25", ...peer },
  }) as ServerRecord;

it("keeps the sessions of several providers with one server apart", () => {
  const peers = createOpenPeers();
  const [one, other] = [peers.follow(), peers.follow()];
  one.note(record("connect"));
  other.note(record("connect", { protocolVersion: "2026-07-28", session: 7 }));
  // What is not true of both is said of neither.
  expect(peers.of("s")).toEqual({ transport: "http", session: 1 });
  other.note(record("session"));
  expect(peers.of("s")).toMatchObject({ protocolVersion: "2025-11-25" });
  one.end();
  expect(peers.of("s")).toBeUndefined();
});
