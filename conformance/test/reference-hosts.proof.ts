import { describe, expect, it } from "vitest";
import { hostChecks } from "../src/host/host-checks.ts";
import { checkReferenceHost, passed } from "./hosts/check-reference-host.ts";

describe("the reference hosts", () => {
  it("Hostside passes every scenario over every transport and both eras", { timeout: 240_000 }, async () => {
    expect(await checkReferenceHost(hostChecks)).toEqual(passed);
  });
});
