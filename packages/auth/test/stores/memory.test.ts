import { describe, expect, it } from "vitest";
import { createMemoryCredentials } from "../../src/store/create-memory-credentials.ts";
import { useManualClock } from "../../../../test/manual-clock.ts";
import { describeCredentialStore } from "./credential-store-contract.ts";

describe("createMemoryCredentials()", () => {
  describeCredentialStore(() => {
    const clock = useManualClock();
    return { store: createMemoryCredentials(), pass: (ms) => clock.advance(ms) };
  });

  it("tells one of two who clear the same document that it was there", async () => {
    const store = createMemoryCredentials();
    await store.save({ kind: "pending", state: "s" }, {});
    const cleared = [0, 1, 2].map(() => store.clear({ kind: "pending", state: "s" }));
    expect((await Promise.all(cleared)).filter(Boolean)).toEqual([true]);
  });

  it("shares nothing between two memory stores", async () => {
    const [one, two] = [createMemoryCredentials(), createMemoryCredentials()];
    await one.save({ kind: "account", serverId: "a" }, {});
    expect(await two.load({ kind: "account", serverId: "a" })).toBeUndefined();
  });
});
