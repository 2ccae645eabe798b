import { describe, expect, it } from "vitest";
import { createMemoryCredentials } from "../../src/store/create-memory-credentials.ts";
import { useManualClock } from "../../../../test/manual-clock.ts";
import { describeCredentialStore } from "./credential-store-contract.ts";

describe("createMemoryCredentials()", () => {
  describeCredentialStore(() => {
    const clock = useManualClock();
    return { store: createMemoryCredentials(), pass: (ms) => clock.advance(ms) };
  });

  it("shares nothing between two memory stores", async () => {
    const [one, two] = [createMemoryCredentials(), createMemoryCredentials()];
    await one.save({ kind: "account", serverId: "a" }, {});
    expect(await two.load({ kind: "account", serverId: "a" })).toBeUndefined();
  });
});
