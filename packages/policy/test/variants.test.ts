import { describe, expect, it } from "vitest";
import { failureOf } from "../../provider/test/calm-world.ts";
import { specOf } from "../../provider/test/simulation/simulated-server.ts";
import { createAdmissionWorld, entryOf, list, namesOf, pinEvents } from "./admission-world.ts";

/** Two hosts of one policy that have listed a server at different times. */
async function listTwice() {
  const world = createAdmissionWorld();
  const admission = world.admission({ pins: { unpinned: "quarantine" } });
  await admission.ready();
  const providers = [];
  for (const text of ["Reads.", "Reads, and more."]) {
    list(world, "s", entryOf("read", text), entryOf("write", "Writes."));
    const provider = world.guarded(admission, { servers: [specOf("s")] });
    await provider.init();
    providers.push(provider);
  }
  return { world, admission, providers };
}

describe("two variants of one tool that are held back", () => {
  it("are not approved by the name, which could mean either; both fingerprints are named", async () => {
    const { admission, providers } = await listTwice();
    const prints = admission
      .held()
      .flatMap(({ toolName, fingerprint = "" }) => (toolName === "read" ? fingerprint : []));
    expect(new Set(prints).size).toBe(2);
    const { approved, left } = await admission.approve("s", ["read", "write"]);
    expect([approved, left.map(({ toolName }) => toolName)]).toEqual([["write"], ["read"]]);
    for (const print of prints) expect(left[0]?.reason).toContain(print);
    expect(providers.map((provider) => namesOf(provider))).toEqual([["mcp_s_write"], ["mcp_s_write"]]);
    for (const provider of providers) await provider.close();
  });

  it("are approved one by one by what was looked at, and together when all are", async () => {
    const { world, admission, providers } = await listTwice();
    const [first] = admission.held().filter(({ definition }) => definition.description.endsWith("Reads."));
    expect(await admission.approve("s", first && [first])).toEqual({ approved: ["read"], left: [] });
    expect(providers.map((provider) => namesOf(provider))).toEqual([["mcp_s_read"], []]);
    await admission.revoke("s");
    expect(await admission.approve("s")).toEqual({ approved: ["read", "write"], left: [] });
    expect(providers.map((provider) => namesOf(provider).length)).toEqual([2, 2]);
    expect(pinEvents(world).at(-1)).toMatchObject({ type: "tools-approved", tools: ["read", "write"] });
    for (const provider of providers) await provider.close();
  });

  it("are of a server that is known: another one is unknown_server", async () => {
    const { admission, providers } = await listTwice();
    expect(await failureOf(admission.approve("t"))).toMatchObject({ code: "unknown_server", serverId: "t" });
    await admission.approve("s");
    expect(await admission.approve("s")).toEqual({ approved: [], left: [] });
    for (const provider of providers) await provider.close();
  });
});
