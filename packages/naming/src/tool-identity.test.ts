import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { qualifiedName } from "./name-table.ts";

describe("qualifiedName()", () => {
  it("is mcp::<server>::<tool>, with the remote name byte for byte", () => {
    expect(qualifiedName({ serverId: "github.com", toolName: "Issues/Get::x" })).toBe("mcp::github.com::Issues/Get::x");
  });

  it("is never the same for two pairs", () => {
    const part = fc.string({ unit: fc.constantFrom("a", ":", "%", "3", "A"), maxLength: 5 });
    const tool = fc.record({ serverId: part, toolName: part });
    fc.assert(
      fc.property(tool, tool, (one, other) => {
        const same = one.serverId === other.serverId && one.toolName === other.toolName;
        expect(qualifiedName(one) === qualifiedName(other)).toBe(same);
      }),
      { numRuns: 2000 },
    );
  });
});
