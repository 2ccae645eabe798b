import { describe, expect, it } from "vitest";
import { hostChecks } from "../src/host/host-checks.ts";
import { checkToolport, passed } from "./hosts/check-toolport.ts";

describe("the reference hosts", () => {
  it("Toolport passes every scenario over every transport and both eras", { timeout: 240_000 }, async () => {
    expect(await checkToolport(hostChecks)).toEqual(passed);
  });
});
