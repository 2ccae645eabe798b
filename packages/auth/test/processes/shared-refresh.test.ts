import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openSharedStore, type SharedStore } from "./open-shared-store.ts";
import { startSharer } from "./run-sharers.ts";
import { keepSignedIn, until, usersOf } from "./shared-world.ts";
import { startStrictServer, type StrictServer } from "./strict-server.ts";

// The long form, with eight processes, databases and a real authorization server, is
// shared-refresh.proof.ts.
describe("two processes that share a file store", () => {
  let server: StrictServer;
  let shared: SharedStore;
  beforeAll(async () => {
    server = await startStrictServer({ lifeMs: 150 });
    shared = await openSharedStore("file");
  });
  afterAll(async () => {
    await server.close();
    await shared.close();
  });

  it("redeem each refresh token once through 50 expiries, and nobody is signed out", async () => {
    const users = usersOf(5);
    const options = { store: shared.place, serverUrl: server.url, users, everyMs: 25 };
    const sharers = await Promise.all(["one", "two"].map((name) => startSharer(name, options)));
    // They find nothing so far; from now on the tokens grow old.
    await keepSignedIn(shared.store, server, users);
    await until(() => server.redeemed.length >= 50, 15_000);
    const reports = await Promise.all(sharers.map((sharer) => sharer.stop()));
    const tokens = server.redeemed.map(({ refreshToken }) => refreshToken);
    expect(new Set(tokens).size).toBe(tokens.length);
    expect(server.redeemed.every(({ isGood }) => isGood)).toBe(true);
    expect(server.ended).toEqual(new Set());
    expect(reports.every(({ letIn }) => letIn > 0)).toBe(true);
  });
});
