import type { Diagnostic } from "@hostside/core";
import type { SavedNames } from "@hostside/naming";
import { createNameBook, type AgreeOnNames, type McpProvider } from "@hostside/provider";
import { describe, expect, it } from "vitest";
import { createCalmWorld, type CalmWorld } from "./calm-world.ts";
import { specOf } from "./simulation/simulated-server.ts";

interface Asked {
  readonly proposed: SavedNames;
  readonly signal: AbortSignal;
  readonly answer: (names: SavedNames) => void;
  readonly fail: (error: unknown) => void;
}

/** Somebody who answers when the test says so. */
function createOthers(): { readonly agree: AgreeOnNames; readonly asked: Asked[] } {
  const asked: Asked[] = [];
  return {
    asked,
    agree: (proposed, signal) =>
      new Promise((answer, fail) => {
        asked.push({ proposed, signal, answer, fail });
      }),
  };
}

function watch(provider: McpProvider): readonly Diagnostic[] {
  const said: Diagnostic[] = [];
  provider.onDiagnostic((diagnostic) => said.push(diagnostic));
  return said;
}

const namesOf = (provider: McpProvider): readonly string[] => provider.tools().map(({ name }) => name);
const saved = (serverId: string, ...tools: readonly (readonly [string, string])[]): SavedNames => ({
  version: 1,
  servers: [[serverId, tools]],
});

function createTwo(): { readonly world: CalmWorld; readonly others: ReturnType<typeof createOthers> } {
  const world = createCalmWorld();
  world.server("s", "run", "walk");
  world.server("t", "run");
  return { world, others: createOthers() };
}

describe("a book of names that asks others", () => {
  it("shows tools with new names when it was answered, with the names that hold, and keeps no other server waiting", async () => {
    const { world, others } = createTwo();
    const names = createNameBook({ agree: others.agree, savedNames: saved("t", ["run", "known"]) });
    const provider = world.provider({ names, servers: [specOf("s"), specOf("t")] });
    const init = provider.init();
    await world.settle();
    world.clock.advance(300);
    expect(namesOf(provider)).toEqual(["known"]);
    expect(provider.statuses().map(({ id, state }) => [id, state])).toEqual([
      ["s", "connecting"],
      ["t", "ready"],
    ]);
    expect(others.asked.map(({ proposed }) => proposed)).toEqual([
      saved("s", ["run", "mcp_s_run"], ["walk", "mcp_s_walk"]),
    ]);
    others.asked[0]?.answer(saved("s", ["run", "ran"], ["walk", "mcp_s_walk"], ["more", "mcp_s_more"]));
    await init;
    expect(namesOf(provider)).toEqual(["known", "mcp_s_walk", "ran"]);
    await provider.refresh();
    expect(others.asked).toHaveLength(1);
    expect(names.savedNames().servers.flatMap(([, tools]) => tools)).toHaveLength(3);
    await provider.close();
    expect(world.clock.pending).toBe(0);
  });

  it("asks once for all providers that share it", async () => {
    const { world, others } = createTwo();
    const names = createNameBook({ agree: others.agree });
    const providers = [1, 2, 3].map(() => world.provider({ names, servers: [specOf("s")] }));
    const init = Promise.all(providers.map((provider) => provider.init()));
    await world.settle();
    // The one that asked goes; those who wait with it do not lose the answer.
    await providers[0]?.close();
    expect(others.asked.map(({ signal }) => signal.aborted)).toEqual([false]);
    others.asked[0]?.answer(saved("s", ["run", "a"], ["walk", "b"]));
    await expect(init).rejects.toMatchObject({ code: "closed" });
    await world.settle();
    expect(providers.map(namesOf)).toEqual([[], ["a", "b"], ["a", "b"]]);
    await Promise.all(providers.map((provider) => provider.close()));
    expect(world.clock.pending).toBe(0);
  });

  it("lets the proposed names stand after 2 s, or when it cannot be asked, and says so once until somebody answers", async () => {
    const { world, others } = createTwo();
    const provider = world.provider({ names: createNameBook({ agree: others.agree }) });
    const said = watch(provider);
    const adding = provider.addServer(specOf("s"));
    await world.settle();
    world.clock.advance(1999);
    await world.settle();
    expect(namesOf(provider)).toEqual([]);
    world.clock.advance(1);
    await adding;
    expect(namesOf(provider)).toEqual(["mcp_s_run", "mcp_s_walk"]);
    expect(others.asked[0]?.signal.aborted).toBe(true);
    const second = provider.addServer(specOf("t"));
    await world.settle();
    others.asked[1]?.fail(new Error("the store is down"));
    await second;
    expect(namesOf(provider)).toEqual(["mcp_s_run", "mcp_s_walk", "mcp_t_run"]);
    expect(said.map(({ kind, message }) => [kind, message])).toEqual([
      [
        "names-not-agreed",
        'other replicas were not asked about new names, which stand as they are: "nobody answered within 2000 ms"',
      ],
    ]);
    others.asked[0]?.answer(saved("s", ["run", "late"]));
    await world.settle();
    expect(namesOf(provider)).toContain("mcp_s_run");
    await provider.close();
    expect(world.clock.pending).toBe(0);
  });

  it.each([
    ["is not legal", "not legal!", "is not a legal name"],
    ["is reserved", "mine", "is a reserved name"],
    ["another tool has", "mcp_t_run", "is another tool's already"],
  ])("does not take a name that %s", async (_, name, problem) => {
    const { world, others } = createTwo();
    const names = createNameBook({ agree: others.agree, savedNames: saved("t", ["run", "mcp_t_run"]) });
    const provider = world.provider({ names, servers: [specOf("t")], reservedNames: ["mine"] });
    const said = watch(provider);
    await provider.init();
    const adding = provider.addServer(specOf("s"));
    await world.settle();
    others.asked[0]?.answer(saved("s", ["run", name], ["walk", "gone"]));
    await adding;
    expect(namesOf(provider)).toEqual(["gone", "mcp_s_run", "mcp_t_run"]);
    expect(said).toEqual([
      {
        kind: "names-not-agreed",
        serverId: "s",
        toolName: "run",
        message: `${JSON.stringify(name)}, which was agreed on, ${problem}; the tool is called something else here`,
      },
    ]);
    await provider.close();
  });

  it("asks again with another name when somebody else has the one that was proposed", async () => {
    const { world, others } = createTwo();
    const provider = world.provider({ names: createNameBook({ agree: others.agree }) });
    const adding = provider.addServer(specOf("t"));
    await world.settle();
    others.asked[0]?.answer(saved("elsewhere", ["x", "MCP_t_run"]));
    await world.settle();
    const [, [, tools] = ["", []]] = ["", others.asked[1]?.proposed.servers[0]] as const;
    expect(tools).toEqual([["run", expect.stringMatching(/^mcp_t_run_[0-9a-f]{8}$/)]]);
    others.asked[1]?.answer(saved("t", ...tools));
    await adding;
    expect(namesOf(provider)).toEqual([tools[0]?.[1]]);
    await provider.close();
  });

  it.each([
    ["null", null],
    ["a number", 7],
    ["another version", { version: 2 }],
    ["pairs of something else", { version: 1, servers: [["s", [["run", 1]]]] }],
  ])("lets the proposed names stand for an answer that is %s", async (_, answer) => {
    const { world, others } = createTwo();
    const provider = world.provider({ names: createNameBook({ agree: others.agree }) });
    const said = watch(provider);
    const adding = provider.addServer(specOf("t"));
    await world.settle();
    others.asked[0]?.answer(answer as never);
    await adding;
    expect(namesOf(provider)).toEqual(["mcp_t_run"]);
    expect(said.map(({ kind }) => kind)).toEqual(["names-not-agreed"]);
    await provider.close();
  });

  it("shows nothing of a server that was removed meanwhile, and asks nobody any more", async () => {
    const { world, others } = createTwo();
    const names = createNameBook({ agree: others.agree });
    const provider = world.provider({ names, servers: [specOf("s")] });
    void provider.init();
    await world.settle();
    const removing = provider.removeServer("s");
    await world.settle();
    await removing;
    expect(others.asked[0]?.signal.aborted).toBe(true);
    others.asked[0]?.answer(saved("s", ["run", "ran"]));
    await world.settle();
    expect(namesOf(provider)).toEqual([]);
    expect(names.savedNames().servers).toEqual([]);
    await provider.close();
    expect(world.clock.pending).toBe(0);
  });

  it("keeps on show what a server had, while names that another filter brings are agreed on", async () => {
    const { world, others } = createTwo();
    const names = createNameBook({ agree: others.agree, savedNames: saved("s", ["run", "ran"]) });
    const spec = specOf("s");
    const provider = world.provider({ names, servers: [{ ...spec, allow: ["run"] }] });
    await provider.init();
    await provider.updateServer(spec);
    expect(namesOf(provider)).toEqual(["ran"]);
    others.asked[0]?.answer(saved("s", ["walk", "walked"]));
    await world.settle();
    expect(namesOf(provider)).toEqual(["ran", "walked"]);
    await provider.close();
    expect(world.clock.pending).toBe(0);
  });

  it("shows a saved catalogue at once, tells others of its names, and keeps these whatever they answer, which it says", async () => {
    const { world, others } = createTwo();
    const earlier = world.provider({ servers: [specOf("s")] });
    await earlier.init();
    const savedCatalog = earlier.savedCatalog();
    await earlier.close();
    const names = createNameBook({ agree: others.agree });
    const provider = world.provider({ names, servers: [specOf("s")], savedCatalog });
    expect(namesOf(provider)).toEqual(["mcp_s_run", "mcp_s_walk"]);
    expect(others.asked.map(({ proposed }) => proposed)).toEqual([
      saved("s", ["run", "mcp_s_run"], ["walk", "mcp_s_walk"]),
    ]);
    const said = watch(provider);
    others.asked[0]?.answer({
      version: 1,
      servers: [
        ["s", [["run", "ran"]]],
        ["other", [["walk", "MCP_s_walk"]]],
      ],
    });
    await world.settle();
    await provider.refresh();
    expect(namesOf(provider)).toEqual(["mcp_s_run", "mcp_s_walk"]);
    expect(said).toMatchObject([
      { kind: "names-not-agreed", serverId: "s", toolName: "run", message: expect.stringContaining('"ran"') },
      { kind: "names-not-agreed", serverId: "s", toolName: "walk", message: expect.stringContaining("another tool") },
    ]);
    await provider.close();
    expect(world.clock.pending).toBe(0);
  });

  it("says nothing of a saved catalogue whose names others have too", async () => {
    const { world, others } = createTwo();
    const earlier = world.provider({ servers: [specOf("s")] });
    await earlier.init();
    const savedCatalog = earlier.savedCatalog();
    await earlier.close();
    const provider = world.provider({
      names: createNameBook({ agree: others.agree }),
      servers: [specOf("s")],
      savedCatalog,
    });
    const said = watch(provider);
    const [asked] = others.asked;
    asked?.answer(asked.proposed);
    await world.settle();
    expect(said).toEqual([]);
    await provider.close();
  });
});
