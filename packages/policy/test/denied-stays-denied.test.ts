import { createToolbox, type Toolbox } from "@hostside/discovery";
import { evvaNaming, hostsideNaming, verbatimNaming, type NamingStrategy } from "@hostside/naming";
import type { McpProvider } from "@hostside/provider";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { changeTools, specOf } from "../../provider/test/simulation/simulated-server.ts";
import type { AdmissionOptions } from "../src/admission/create-admission.ts";
import { createAdmissionWorld, type AdmissionWorld } from "./admission-world.ts";

// Of each case. `pnpm proof properties` asks for more.
const runs = Number(process.env["HOSTSIDE_RUNS"] ?? 20) / 10;

// Ids and names that meet after normalising, and that begin like one another.
const serverIds = ["github", "github_prod", "GitHub Prod2"] as const;
const remoteNames = ["delete", "Delete", "dele.te", "dele/te", "prod_delete", "delete_1", "read", "*", "__proto__"];

interface DenyCase {
  readonly options: AdmissionOptions;
  /** What the rules mean, in the test's own words. */
  readonly denies: (serverId: string, toolName: string) => boolean;
}

const cases: readonly DenyCase[] = [
  {
    options: { defaultDecision: "allow", deny: "github/*" },
    denies: (serverId) => serverId === "github",
  },
  {
    options: { defaultDecision: "allow", allow: "github/*", deny: [{ tool: "delete*" }] },
    denies: (_, toolName) => toolName.startsWith("delete"),
  },
  {
    options: { defaultDecision: "deny", allow: [{ server: "github", tool: ["read", "Delete"] }, "github_prod/read"] },
    denies: (serverId, toolName) =>
      !(serverId === "github" && (toolName === "read" || toolName === "Delete")) &&
      !(serverId === "github_prod" && toolName === "read"),
  },
  {
    options: { defaultDecision: "allow", deny: { labels: "scope:project" }, pins: { unpinned: "allow" } },
    denies: (serverId) => serverId === "github_prod",
  },
  {
    options: { defaultDecision: "allow", deny: ["mcp_github_prod_delete"], servers: ["github_prod", "other"] },
    denies: (serverId, toolName) => serverId === "github_prod" && /^dele?te$/i.test(toolName),
  },
];

const serverId = fc.constantFrom(...serverIds);
const remoteName = fc.constantFrom(...remoteNames);
const step = fc.oneof(
  fc.record({ do: fc.constant("list" as const), serverId, tools: fc.uniqueArray(remoteName, { minLength: 1 }) }),
  fc.record({ do: fc.constant("computed" as const), serverId, of: fc.nat(20) }),
  fc.record({ do: fc.constant("replace" as const), serverId }),
  fc.record({ do: fc.constant("disconnect" as const), serverId }),
  fc.record({ do: fc.constant("respec" as const), serverId, title: fc.constantFrom("a", "b") }),
  fc.record({ do: fc.constant("readmit" as const), serverId }),
  fc.record({ do: fc.constant("restart" as const), serverId }),
);
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never;

interface Subject {
  readonly world: AdmissionWorld;
  readonly denyCase: DenyCase;
  readonly naming: NamingStrategy;
  /** Whether there is a backstop as well: what is on offer must not depend on it. */
  readonly hasBackstop: boolean;
  provider: McpProvider;
  toolbox: Toolbox;
}

function specFor(id: string, title?: string) {
  const labels = { scope: id === "github_prod" ? "project" : "user" };
  return specOf(id, { labels, ...(title !== undefined && { title }) });
}

async function start(
  subject: Omit<Subject, "provider" | "toolbox">,
  savedNames?: unknown,
): Promise<Pick<Subject, "provider" | "toolbox">> {
  const { world, denyCase, naming, hasBackstop } = subject;
  const admission = world.admission(denyCase.options);
  const provider = world.guarded(admission, {
    naming,
    servers: serverIds.map((id) => specFor(id)),
    ...(savedNames !== undefined && { savedNames }),
    hasBackstop,
  });
  await provider.init();
  const toolbox = createToolbox({ providers: [provider] });
  await toolbox.init();
  return { provider, toolbox };
}

async function take(subject: Subject, next: Step): Promise<void> {
  const { world, provider, toolbox } = subject;
  const server = world.server(next.serverId);
  switch (next.do) {
    case "list":
      world.server(next.serverId, ...next.tools);
      return provider.refreshServer(next.serverId);
    case "computed": {
      // A server that lists what another one's tool, or a hidden one, is called.
      const given = provider.savedNames().servers.flatMap(([, tools]) => tools.map(([, name]) => name));
      const name = given[next.of % Math.max(1, given.length)];
      if (name !== undefined) changeTools(server, (tools, version) => tools.set(name, version));
      return provider.refreshServer(next.serverId);
    }
    case "replace":
      await provider.removeServer(next.serverId);
      return provider.addServer(specFor(next.serverId));
    case "disconnect":
      return provider.disconnectServer(next.serverId);
    case "respec":
      return provider.updateServer(specFor(next.serverId, next.title));
    case "readmit":
      return provider.readmit();
    case "restart": {
      const savedNames: unknown = JSON.parse(JSON.stringify(provider.savedNames()));
      toolbox.close();
      await provider.close();
      Object.assign(subject, await start(subject, savedNames));
    }
  }
}

/**
 * Every spelling under which somebody might ask for a tool that is denied, and every name that was
 * ever given.
 */
function spellingsOf({ world, provider, naming, denyCase }: Subject): readonly string[] {
  const given = provider.savedNames().servers.flatMap(([, tools]) => tools.map(([, name]) => name));
  const computed = Array.from(world.servers.values()).flatMap(({ id, tools }) =>
    Array.from(tools.keys())
      .filter((name) => denyCase.denies(id, name))
      .flatMap((name) => [
        `mcp_${naming.sanitize(id)}_${naming.sanitize(name)}`,
        `mcp__${naming.sanitize(id)}__${name}`,
        `mcp::${id}::${name}`,
        name,
        name.toUpperCase(),
      ]),
  );
  return Array.from(new Set([...given, ...given.map((name) => name.toUpperCase()), ...computed]));
}

/** What can be seen or called now and is denied. */
async function leaks(subject: Subject): Promise<readonly string[]> {
  const { world, provider, toolbox, denyCase } = subject;
  const view = toolbox.view();
  const found: string[] = [];
  const seen = [...provider.tools(), ...toolbox.tools(), ...view.tools()];
  const spellings = spellingsOf(subject);
  for (const query of ["delete", "read", "github"]) {
    const { tools } = await view.searchTools({ query, limit: 50 });
    seen.push(...provider.tools(tools.map(({ name }) => name)));
  }
  for (const { name, origin } of seen) {
    if (origin !== undefined && denyCase.denies(origin.serverId, origin.toolName)) found.push(`seen ${name}`);
  }
  const members = new Set(provider.tools().map(({ name }) => name));
  for (const group of [...provider.groups(), ...view.groups()]) {
    found.push(...group.members.filter((name) => !members.has(name)).map((name) => `listed ${name}`));
  }
  for (const server of world.servers.values()) server.received.length = 0;
  await Promise.allSettled(spellings.flatMap((name) => [provider.call(name), toolbox.call(name), view.call(name)]));
  for (const { id, received } of world.servers.values()) {
    found.push(
      ...received.filter(({ toolName }) => denyCase.denies(id, toolName)).map(({ toolName }) => `called ${toolName}`),
    );
  }
  return found;
}

const namings: readonly NamingStrategy[] = [hostsideNaming, evvaNaming, verbatimNaming];

describe("a denied tool", () => {
  it.each(cases)(
    "is never visible or callable, whatever servers list, rename and compute, and across restarts: $options",
    async (denyCase) => {
      const scenario = fc.record({
        naming: fc.constantFrom(...namings),
        hasBackstop: fc.boolean(),
        steps: fc.array(step, { maxLength: 6 }),
      });
      await fc.assert(
        fc.asyncProperty(scenario, async ({ naming, hasBackstop, steps }) => {
          const world = createAdmissionWorld();
          for (const id of serverIds) world.server(id, "delete", "prod_delete", "read");
          const base = { world, denyCase, naming, hasBackstop };
          const subject: Subject = { ...base, ...(await start(base)) };
          expect(await leaks(subject)).toEqual([]);
          for (const next of steps) {
            await take(subject, next);
            await subject.provider.refresh();
            expect(await leaks(subject)).toEqual([]);
          }
          // And it is no policy that denies everything.
          const kept = Array.from(world.servers.values()).flatMap(({ id, tools }) =>
            Array.from(tools.keys()).filter((name) => !denyCase.denies(id, name)),
          );
          expect(subject.provider.tools().length).toBe(kept.length);
          subject.toolbox.close();
          await subject.provider.close();
        }),
        { numRuns: runs },
      );
    },
  );
});
