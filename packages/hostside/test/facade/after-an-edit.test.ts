import { createHost, type HostOptions, type HostServerEntry } from "hostside";
import { describe, expect, it } from "vitest";
import { createTellingConnector } from "./telling-connector.ts";

describe("the turn after an edit", () => {
  const poolings: readonly HostOptions["pool"][] = [undefined, {}];
  const sharings = ["shared", "principal", "conversation"] as const;
  const cases = poolings.flatMap((pool) => sharings.map((sharing) => ({ pool, sharing })));

  it.each(cases)("goes on where only settings and credentials changed: $sharing, pool $pool", async (given) => {
    const { pool, sharing } = given;
    const first: HostServerEntry = { command: "one", sharing };
    await using host = await createHost({ connector: createTellingConnector(), servers: { s: first }, pool });
    const ada = await host.conversation({ principal: "ada" });
    ada.tools();
    for (const change of [{ env: { TOKEN: "new" } }, { limits: { maxInFlightCalls: 3 } }, { env: { OTHER: "x" } }]) {
      await host.servers.update("s", { ...first, ...change });
      const calls = await Promise.all(Array.from({ length: 8 }, () => ada.call("mcp_s_note", { text: "a" })));
      expect(calls.map(({ isError }) => isError)).toEqual(Array.from({ length: 8 }, () => false));
      ada.tools();
      expect(await ada.call("mcp_s_tell")).toMatchObject({ isError: false });
    }
  });

  it.each(cases)("refuses what was selected of another program: $sharing, pool $pool", async ({ pool, sharing }) => {
    await using host = await createHost({
      connector: createTellingConnector(),
      servers: { s: { command: "one", sharing } },
      pool,
    });
    const ada = await host.conversation({ principal: "ada" });
    ada.tools();
    await host.servers.update("s", { command: "two", sharing });
    await expect(ada.call("mcp_s_tell")).rejects.toMatchObject({
      code: "registration_replaced",
      message: expect.stringContaining("select it again"),
    });
    ada.tools();
    const [block] = (await ada.call("mcp_s_tell")).content;
    expect(block).toMatchObject({ text: expect.stringContaining('"program":"two"') });
  });
});
