import { evvaNaming, nexoNaming, hostsideNaming, type NamingStrategy, type SavedNames } from "@hostside/naming";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createCalmWorld } from "./calm-world.ts";
import { specOf } from "./simulation/simulated-server.ts";

interface Tools {
  readonly [serverId: string]: readonly string[];
}

const servers: Tools = {
  github: ["prod_list", "prod-list", "list", "PROD__x", "prod_list_0123abcd"],
  github_prod: ["list", "eu_list", "x_0123abcd"],
  "github-prod-eu": ["list", "List"],
  github__prod: ["x"],
  git: ["hub_list", "hub_prod_list"],
};
const ids = Object.keys(servers);

/**
 * The names that a provider gives when its servers answer in this order, each long after the one
 * before.
 */
async function namesAfter(order: readonly string[], naming: NamingStrategy): Promise<SavedNames> {
  const world = createCalmWorld();
  const usable = order.filter((id) => naming !== hostsideNaming || id !== "github__prod");
  for (const id of usable) world.server(id, ...(servers[id] ?? []));
  const releases = usable.map((id) => world.hold(id));
  const specs = usable.map((id) => specOf(id)).sort((a, b) => (a.id < b.id ? -1 : 1));
  const provider = world.provider({ servers: specs, naming });
  const init = provider.init();
  for (const release of releases) {
    release();
    await world.settle();
    world.clock.advance(5000);
  }
  await init;
  const names = provider.savedNames();
  await provider.close();
  return names;
}

describe.each([
  ["hostside", hostsideNaming],
  ["nexo", nexoNaming],
  ["evva", evvaNaming],
] as const)("names of a provider with the strategy %s", (_, naming) => {
  it("are the same whichever server is the slow one, without saved names", async () => {
    const expected = await namesAfter(ids, naming);
    expect(expected.servers).toHaveLength(naming === hostsideNaming ? 4 : 5);
    await fc.assert(
      fc.asyncProperty(fc.shuffledSubarray([...ids], { minLength: ids.length }), async (order) => {
        expect(await namesAfter(order, naming)).toEqual(expected);
      }),
      { numRuns: 15 },
    );
  });
});

describe("names of a provider", () => {
  it("keep off what belongs to a server that is registered and disabled", async () => {
    const world = createCalmWorld();
    world.server("github", "prod_list");
    const provider = world.provider({ servers: [specOf("github"), specOf("github_prod", { disabled: true })] });
    const said: string[] = [];
    provider.onDiagnostic(({ message }) => said.push(message));
    await provider.init();
    expect(provider.tools().map(({ name }) => name)).toEqual([
      expect.stringMatching(/^mcp_github_prod_list_[0-9a-f]{8}$/),
    ]);
    expect(said).toEqual(['"mcp_github_prod_list" would be a name of server "github_prod"']);
    await provider.close();
  });

  it("stay with their tools when a server comes to which they would belong", async () => {
    const world = createCalmWorld();
    world.server("github", "prod_list");
    world.server("github_prod", "list", "other");
    const provider = world.provider({ servers: [specOf("github")] });
    await provider.init();
    await provider.addServer(specOf("github_prod"));
    expect(provider.tools().map(({ name, origin }) => [name, origin?.serverId])).toEqual([
      ["mcp_github_prod_list", "github"],
      [expect.stringMatching(/^mcp_github_prod_list_[0-9a-f]{8}$/), "github_prod"],
      ["mcp_github_prod_other", "github_prod"],
    ]);
    await provider.close();
  });

  it("are those of the given names, whoever comes first", async () => {
    const world = createCalmWorld();
    world.server("github", "prod_list");
    world.server("github_prod", "list");
    const first = world.provider({ servers: [specOf("github")] });
    await first.init();
    const savedNames: unknown = JSON.parse(JSON.stringify(first.savedNames()));
    await first.close();
    const second = world.provider({ servers: [specOf("github_prod"), specOf("github")], savedNames });
    await second.init();
    expect(second.tools().map(({ name, origin }) => [name, origin?.serverId])).toEqual([
      ["mcp_github_prod_list", "github"],
      [expect.stringMatching(/^mcp_github_prod_list_[0-9a-f]{8}$/), "github_prod"],
    ]);
    await second.close();
  });
});
