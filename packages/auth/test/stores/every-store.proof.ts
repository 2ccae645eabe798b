import { describe } from "vitest";
import { openSharedStore, sharedKinds } from "../processes/open-shared-store.ts";
import { describeCredentialStore } from "./credential-store-contract.ts";

describe.each(sharedKinds)("a $kind store", ({ kind, isHere }) => {
  describe.skipIf(!isHere)(`over what is real${isHere ? "" : " (there is none on this machine)"}`, () => {
    describeCredentialStore(async () => {
      const shared = await openSharedStore(kind);
      const pass = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
      return { store: shared.store, pass, close: () => shared.close() };
    });
  });
});
