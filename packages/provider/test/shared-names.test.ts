import { HostsideError } from "@hostside/core";
import { evvaNaming, nexoNaming, hostsideNaming, verbatimNaming } from "@hostside/naming";
import { createNameBook, type McpProvider } from "@hostside/provider";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createCalmWorld, type CalmWorld } from "./calm-world.ts";
import { specOf } from "./simulation/simulated-server.ts";

/** A world with servers whose tools want each other's names, under every strategy. */
function createRivals(): CalmWorld {
  const world = createCalmWorld();
  world.server("github", "prod_list", "prod-list", "list", "PROD__x");
  world.server("github_prod", "list", "eu_list", "github_prod_list");
  world.server("files", "list", "List", "prod_list");
  return world;
}

const ids = ["github", "github_prod", "files"];

describe("providers that share a book of names", () => {
  it.each([
    ["hostside", hostsideNaming],
    ["nexo", nexoNaming],
    ["evva", evvaNaming],
    ["verbatim", verbatimNaming],
  ] as const)("give one tool one name and no two tools one, whatever comes and goes: %s", async (_, naming) => {
    const step = fc.record({ provider: fc.nat(2), id: fc.constantFrom(...ids), remove: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 14 }), async (steps) => {
        const world = createRivals();
        const names = createNameBook({ naming });
        const providers = [0, 1, 2].map(() => world.provider({ names }));
        const given = new Map<string, string>();
        for (const { provider: at, id, remove } of steps) {
          const provider = providers[at];
          if (provider === undefined) continue;
          if (remove) await provider.removeServer(id);
          else if (!provider.hasServer(id)) await provider.addServer(specOf(id));
          assertOneName(providers, given);
        }
        await Promise.all(providers.map((provider) => provider.close()));
        expect(names.savedNames().servers).toEqual([]);
      }),
      { numRuns: 25 },
    );
  });

  it("rename nothing that another one has on show, and keep a name until the last registration has ended", async () => {
    const world = createRivals();
    const names = createNameBook({ naming: verbatimNaming });
    const first = world.provider({ names, servers: [specOf("files", { allow: ["list"] })] });
    const second = world.provider({
      names,
      servers: [specOf("github_prod", { allow: ["list"] }), specOf("files", { allow: ["list"] })],
    });
    await first.init();
    await second.init();
    const [hashed] = nameOf(second, "github_prod");
    expect(nameOf(first, "files")).toEqual(["list"]);
    expect(nameOf(second, "files")).toEqual(["list"]);
    expect(hashed).toMatch(/^list_[0-9a-f]{8}$/);
    await first.removeServer("files");
    await second.removeServer("github_prod");
    await second.addServer(specOf("github_prod", { allow: ["list"] }));
    expect(nameOf(second, "github_prod")).toEqual([hashed]);
    await second.applyServers([]);
    expect(names.savedNames().servers).toEqual([]);
    await second.addServer(specOf("github_prod", { allow: ["list"] }));
    expect(nameOf(second, "github_prod")).toEqual(["list"]);
    await Promise.all([first.close(), second.close()]);
  });

  it("free what a provider had when it is closed, which still says what it called them", async () => {
    const world = createRivals();
    const names = createNameBook();
    const provider = world.provider({ names, servers: [specOf("files")] });
    await provider.init();
    const saved = provider.savedNames();
    expect(names.savedNames()).toEqual(saved);
    await provider.close();
    expect(names.savedNames().servers).toEqual([]);
    expect(provider.savedNames()).toEqual(saved);
    const again = createNameBook({ savedNames: JSON.parse(JSON.stringify(saved)) });
    expect(again.savedNames()).toEqual(saved);
  });

  it("share what is reserved; a tool that has such a name in one of them keeps it", async () => {
    const world = createRivals();
    const names = createNameBook({
      savedNames: {
        version: 1,
        servers: [
          ["files", [["list", "mcp_files_list"]]],
          ["github", [["list", "mine"]]],
        ],
      },
    });
    const first = world.provider({ names, servers: [specOf("github", { allow: ["list"] })] });
    await first.init();
    const second = world.provider({
      names,
      servers: [specOf("github"), specOf("files")],
      reservedNames: ["MINE", "mcp_files_list"],
    });
    await second.init();
    expect(nameOf(second, "github")).toContain("mine");
    expect(nameOf(second, "files")).not.toContain("mcp_files_list");
    const third = world.provider({ names, servers: [specOf("files")] });
    await third.init();
    expect(nameOf(third, "files")).toEqual(nameOf(second, "files"));
    await Promise.all([first.close(), second.close(), third.close()]);
  });

  it("lose no name when a rule of one lets another one look at its tools", async () => {
    const world = createRivals();
    const names = createNameBook();
    const inner = world.provider({ names, servers: [specOf("github")] });
    await inner.init();
    const outer = world.provider({
      names,
      servers: [specOf("files")],
      admit() {
        inner.readmit();
        return "offer";
      },
    });
    await outer.init();
    const saved = new Map(names.savedNames().servers);
    expect([...saved.keys()]).toEqual(["files", "github"]);
    assertOneName([inner, outer], new Map());
    await Promise.all([inner.close(), outer.close()]);
  });
});

describe("createNameBook()", () => {
  it("refuses what it does not understand, and what is no book", () => {
    const world = createCalmWorld();
    expect(() => createNameBook({ nameing: hostsideNaming } as never)).toThrow(TypeError);
    expect(() => createNameBook({ naming: { ...hostsideNaming, maxLength: 3 } })).toThrow(
      new TypeError("naming.maxLength must be an integer from 32 to 1024"),
    );
    expect(() => createNameBook({ savedNames: { version: 2 } })).toThrow(
      expect.objectContaining({ constructor: HostsideError, code: "invalid_names" }),
    );
    expect(() => world.provider({ names: { savedNames: () => ({ version: 1, servers: [] }) } })).toThrow(
      new TypeError("names must be a book that createNameBook() made"),
    );
    for (const other of [{ naming: hostsideNaming }, { savedNames: { version: 1, servers: [] } }]) {
      expect(() => world.provider({ names: createNameBook(), ...other })).toThrow(
        new TypeError("names takes the place of naming and savedNames: give those to createNameBook()"),
      );
    }
  });
});

function nameOf(provider: McpProvider, serverId: string): readonly string[] {
  return provider.tools().flatMap(({ name, origin }) => (origin?.serverId === serverId ? [name] : []));
}

/** That no two pairs have one name now, and that a pair on show is called as before. */
function assertOneName(providers: readonly McpProvider[], given: Map<string, string>): void {
  const owners = new Map<string, string>();
  const shown = new Map<string, string>();
  for (const provider of providers) {
    for (const { name, qualifiedName } of provider.routes()) {
      expect(owners.get(name.toLowerCase()) ?? qualifiedName).toBe(qualifiedName);
      owners.set(name.toLowerCase(), qualifiedName);
      expect(shown.get(qualifiedName) ?? name).toBe(name);
      shown.set(qualifiedName, name);
      expect(given.get(qualifiedName) ?? name).toBe(name);
    }
  }
  given.clear();
  for (const [qualifiedName, name] of shown) given.set(qualifiedName, name);
}
