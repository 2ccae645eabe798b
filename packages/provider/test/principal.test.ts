import { ToolportError, type Connector } from "@toolport/core";
import { createProvider } from "@toolport/provider";
import { expect, it } from "vitest";

const spec = { id: "srv", transport: { kind: "stdio", command: "srv" } } as const;

it("the principal of a provider is that of all its sessions, and of the credentials that it clears", async () => {
  const seen: unknown[] = [];
  const connector: Connector = {
    async connect(_spec, { principal }) {
      seen.push(["connect", principal]);
      throw new ToolportError("no", { code: "auth_required", serverId: "srv" });
    },
    async clearCredentials({ id }, options) {
      seen.push(["clear", id, options?.principal]);
    },
  };
  await using provider = createProvider({ connector, servers: [spec], principal: "ann" });
  await provider.init();
  await provider.clearCredentials("srv");
  expect(seen).toEqual([
    ["connect", "ann"],
    ["clear", "srv", "ann"],
  ]);
  for (const principal of ["", 7 as never])
    expect(() => createProvider({ connector, principal })).toThrow("principal must be a text that is not empty");
});
