import { isHostsideError, type Admission, type ToolDefinition, type ToolOrigin } from "@hostside/core";
import { createToolbox, type Toolbox } from "@hostside/discovery";
import { evvaNaming, hostsideNaming, verbatimNaming, type NamingStrategy } from "@hostside/naming";
import type { McpProvider } from "@hostside/provider";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createCalmWorld, type CalmWorld } from "./calm-world.ts";
import { changeTools, specOf } from "./simulation/simulated-server.ts";

// Names and ids that meet after normalising, and that begin like one another.
const serverIds = ["github", "github_prod", "GitHub Prod2"] as const;
const remoteNames = ["delete", "Delete", "DELETE", "dele.te", "dele/te", "prod_delete", "delete_1", "__proto__"];
const decisions = ["offer", "hide", "quarantine"] as const;

const serverId = fc.constantFrom(...serverIds);
const remoteName = fc.constantFrom(...remoteNames);
const step = fc.oneof(
  fc.record({ do: fc.constant("list" as const), serverId, tools: fc.uniqueArray(remoteName, { minLength: 1 }) }),
  fc.record({ do: fc.constant("computed" as const), serverId, of: fc.nat(20) }),
  fc.record({ do: fc.constant("decide" as const), serverId, remoteName, decision: fc.constantFrom(...decisions) }),
  fc.record({ do: fc.constant("replace" as const), serverId }),
  fc.record({ do: fc.constant("disconnect" as const), serverId }),
  fc.record({ do: fc.constant("respec" as const), serverId, title: fc.constantFrom("a", "b") }),
);

interface Rules {
  readonly decisions: Map<string, Admission>;
  readonly default: Admission;
}

// `pnpm proof properties` looks at more.
const runs = Number(process.env["HOSTSIDE_RUNS"] ?? 4);

// What a security engineer would write: by identity, and nothing else.
function decide(rules: Rules, { origin }: Pick<ToolDefinition, "origin">): Admission {
  return rules.decisions.get(JSON.stringify([origin?.serverId, origin?.toolName])) ?? rules.default;
}

interface Subject {
  readonly world: CalmWorld;
  readonly provider: McpProvider;
  readonly toolbox: Toolbox;
  readonly rules: Rules;
}

async function take(
  { world, provider, rules }: Subject,
  next: typeof step extends fc.Arbitrary<infer Step> ? Step : never,
): Promise<void> {
  const server = world.server(next.serverId);
  switch (next.do) {
    case "list":
      world.server(next.serverId, ...next.tools);
      return provider.refreshServer(next.serverId);
    case "computed": {
      // A server that lists what another one's tool, or a hidden one, is called.
      const given = namedTools(provider);
      const name = given[next.of % Math.max(1, given.length)]?.name;
      if (name !== undefined) changeTools(server, (tools, version) => tools.set(name, version));
      return provider.refreshServer(next.serverId);
    }
    case "decide":
      rules.decisions.set(JSON.stringify([next.serverId, next.remoteName]), next.decision);
      return provider.readmit();
    case "replace":
      await provider.removeServer(next.serverId);
      return provider.addServer(specOf(next.serverId));
    case "disconnect":
      return provider.disconnectServer(next.serverId);
    case "respec":
      return provider.updateServer(specOf(next.serverId, { title: next.title }));
  }
}

interface NamedTool {
  readonly name: string;
  readonly origin: ToolOrigin;
}

/** Every tool that ever had a name here. */
function namedTools(provider: McpProvider): readonly NamedTool[] {
  return provider
    .savedNames()
    .servers.flatMap(([server, tools]) =>
      tools.map(([toolName, name]) => ({ name, origin: { serverId: server, toolName, qualifiedName: "" } })),
    );
}

interface Shown {
  readonly offered: readonly string[];
  readonly held: readonly string[];
  /**
   * Of each name, in both spellings: whether it is found, searched and called, wherever it is asked
   * for.
   */
  readonly names: readonly unknown[];
}

/** What the rules say. */
function decided({ world, provider, rules }: Subject): Shown {
  const tools = namedTools(provider);
  const isListed = ({ origin }: NamedTool): boolean =>
    world.servers.get(origin.serverId)?.tools.has(origin.toolName) === true;
  const decisionOf = (tool: NamedTool): string => (isListed(tool) ? decide(rules, tool) : "gone");
  const namesOf = (decision: string): readonly string[] =>
    tools.flatMap((tool) => (decisionOf(tool) === decision ? [tool.name] : [])).sort();
  const codes: Readonly<Record<string, string>> = { offer: "called", quarantine: "tool_quarantined" };
  return {
    offered: namesOf("offer"),
    held: namesOf("quarantine"),
    names: tools.map((tool) => {
      const decision = decisionOf(tool);
      const isOffered = decision === "offer";
      return [tool.name, isOffered, isOffered, isOffered, isOffered, codes[decision] ?? "unknown_tool", isOffered];
    }),
  };
}

/** What is to be seen. Every list there is has to agree with the first one. */
async function shown({ world, provider, toolbox }: Subject): Promise<Shown> {
  // A new one: what a conversation has declared to its model stays declared, though it can be
  // called no more.
  const view = toolbox.view();
  const offered = provider.tools().map(({ name }) => name);
  const helpers = new Set(["tools_groups", "tools_select", "tools_search"]);
  const lists = [
    provider.groups().flatMap(({ members }) => members),
    view.groups().flatMap(({ members }) => members),
    view.tools().flatMap(({ name }) => (helpers.has(name) ? [] : [name])),
  ];
  for (const list of lists) expect(list.toSorted()).toEqual(offered);
  expect(provider.statuses().reduce((sum, { toolCount }) => sum + toolCount, 0)).toBe(offered.length);
  const names: unknown[] = [];
  for (const { name, origin } of namedTools(provider)) {
    const received = (): number => world.servers.get(origin.serverId)?.received.length ?? 0;
    const hits = (await view.searchTools({ query: name, limit: 50 })).tools.map((hit) => hit.name);
    expect(hits.filter((hit) => !offered.includes(hit))).toEqual([]);
    const before = received();
    const code = await codeOf(provider.call(name));
    // Another spelling, and the way through a view, lead to the same.
    expect(await codeOf(provider.call(name.toUpperCase()))).toBe(code);
    expect((await codeOf(view.call(name))) === "called").toBe(code === "called");
    names.push([
      name,
      provider.has(name),
      provider.has(name.toUpperCase()),
      view.has(name),
      hits.includes(name),
      code,
      received() > before,
    ]);
  }
  return { offered, held: provider.quarantined().map(({ definition }) => definition.name), names };
}

async function codeOf(call: Promise<unknown>): Promise<string> {
  try {
    await call;
    return "called";
  } catch (error) {
    return isHostsideError(error) ? error.code : String(error);
  }
}

describe.each<[string, NamingStrategy]>([
  ["hostside", hostsideNaming],
  ["evva", evvaNaming],
  ["verbatim", verbatimNaming],
])("admission with %s names", (_, naming) => {
  it("is one decision for listing, groups, lookup, search and calls, whatever servers list, rename and compute", async () => {
    const scenario = fc.record({ start: fc.constantFrom(...decisions), steps: fc.array(step, { maxLength: 12 }) });
    await fc.assert(
      fc.asyncProperty(scenario, async ({ start, steps }) => {
        const world = createCalmWorld();
        for (const id of serverIds) world.server(id, "delete", "prod_delete");
        const rules: Rules = { decisions: new Map(), default: start };
        const provider = world.provider({
          naming,
          servers: serverIds.map((id) => specOf(id)),
          admit: (tool) => decide(rules, tool),
        });
        await provider.init();
        const toolbox = createToolbox({ providers: [provider] });
        await toolbox.init();
        const subject: Subject = { world, provider, toolbox, rules };
        for (const next of steps) {
          await take(subject, next);
          await provider.refresh();
          expect(await shown(subject)).toEqual(decided(subject));
        }
        toolbox.close();
        await provider.close();
      }),
      { numRuns: runs },
    );
  });
});
