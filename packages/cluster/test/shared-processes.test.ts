import type { Connector, ServerSpec } from "@hostside/core";
import { fixtureServer } from "@hostside/fixtures";
import { createSharedProviders, type ConversationLease } from "@hostside/cluster";
import { createNameBook, createProvider } from "@hostside/provider";
import { createConnector } from "@hostside/transports";
import { describe, expect, it } from "vitest";

const numbers = { type: "stdio", ...fixtureServer("modern-stdio") } as const;
const library = { type: "stdio", ...fixtureServer("legacy-library") } as const;
const servers: readonly ServerSpec[] = [
  { id: "numbers", ...numbers },
  { id: "mail", ...library, env: { MAIL_TOKEN: "s3cr3t" } },
  { id: "notes", ...library, sharing: "conversation" },
];

// A library refuses to add what it has: so one knows whether it remembers.
async function add(lease: ConversationLease | undefined, server: string, name: string): Promise<boolean> {
  const tool = `mcp_${server}_add_prompt`;
  const provider = lease?.providers.find((one) => one.serverIds().includes(server));
  await provider?.init();
  const outcome = await provider?.call(tool, { name });
  return outcome?.isError === false;
}

describe("shared providers over real processes", () => {
  it("have as many processes as may not be shared, mix up nothing, and leave none", async () => {
    const started: string[] = [];
    const real = createConnector();
    const connector: Connector = {
      connect(spec, hooks, signal) {
        started.push(spec.id);
        return real.connect(spec, hooks, signal);
      },
    };
    const names = createNameBook();
    const shared = createSharedProviders({
      servers,
      make: ({ servers: own, principal }) => createProvider({ connector, servers: own, names, principal }),
    });
    const leases = await Promise.all([
      shared.lease({ principal: "ada", conversation: "1" }),
      shared.lease({ principal: "ada", conversation: "2" }),
      shared.lease({ principal: "bob", conversation: "1" }),
    ]);
    const [ada1, ada2, bob1] = leases;
    // That of all is one object, and so one process; ada's is another one than bob's, though the
    // token is the same.
    expect(new Set(leases.map(({ providers }) => providers[0])).size).toBe(1);
    expect(new Set(leases.map(({ providers }) => providers[1])).size).toBe(2);
    expect(new Set(leases.map(({ providers }) => providers[2])).size).toBe(3);
    await ada1?.providers[0]?.init();
    const sums = await Promise.all(
      leases.map(async ({ providers }) => providers[0]?.call("mcp_numbers_add", { a: 40, b: 2 })),
    );
    expect(sums.map((sum) => JSON.stringify(sum?.content))).toEqual(Array(3).fill(expect.stringContaining("42")));
    expect(shared.statuses().reduce((sum, { processes }) => sum + processes, 0)).toBe(6);

    expect(await Promise.all(leases.map((lease) => add(lease, "notes", "mine")))).toEqual([true, true, true]);
    expect(await add(ada1, "notes", "mine")).toBe(false);
    expect(await add(ada1, "mail", "ours")).toBe(true);
    expect(await add(ada2, "mail", "ours")).toBe(false);
    expect(await add(bob1, "mail", "ours")).toBe(true);
    expect(started.toSorted()).toEqual(["mail", "mail", "notes", "notes", "notes", "numbers"]);
    expect(JSON.stringify(shared.statuses())).not.toContain("s3cr3t");

    await shared.dispose({ principal: "ada" }, "signed out");
    await expect(ada1?.providers[1]?.call("mcp_mail_add_prompt", { name: "x" })).rejects.toMatchObject({
      code: "closed",
    });
    expect(await add(bob1, "notes", "mine")).toBe(false);
    await shared.shutdownAll();
    expect(shared.statuses()).toEqual([]);
    for (const provider of bob1?.providers ?? [])
      await expect(provider.call("mcp_notes_add_prompt", { name: "x" })).rejects.toMatchObject({ code: "closed" });
  });
});
