import type { Connector, Diagnostic, ServerInfo } from "@hostside/core";
import { expect, it } from "vitest";
import { createCalmWorld, failureOf, type CalmWorld } from "./calm-world.ts";
import { createSimulatedConnector } from "./simulation/simulated-connector.ts";
import { specOf } from "./simulation/simulated-server.ts";

function connectorOf(world: CalmWorld, identity: () => Partial<ServerInfo>): Connector {
  const simulated = createSimulatedConnector(world);
  return {
    async connect(spec, hooks, signal) {
      const connection = await simulated.connect(spec, hooks, signal);
      return { ...connection, server: { ...connection.server, ...identity() } };
    },
  };
}

async function start(identity: () => Partial<ServerInfo>) {
  const world = createCalmWorld();
  const server = world.server("s", "a");
  const provider = world.provider({ servers: [specOf("s")], connector: connectorOf(world, identity) });
  const diagnostics: Diagnostic[] = [];
  provider.onDiagnostic((diagnostic) => diagnostics.push(diagnostic));
  await provider.init();
  const [selected] = provider.tools();
  const restart = async (): Promise<void> => {
    for (const session of server.sessions) session.crash();
    await provider.refresh();
  };
  return { provider, diagnostics, selected, restart };
}

it("tells of a server that comes back as another one, and refuses what was selected from the earlier one", async () => {
  let version = "1.0.0";
  const { provider, diagnostics, selected, restart } = await start(() => ({ name: "files", version }));
  version = "2.0.0";
  await restart();
  expect(diagnostics).toEqual([
    {
      kind: "server-replaced",
      serverId: "s",
      message: 'the server came back as another one: "files" 1.0.0 before, "files" 2.0.0 now',
    },
  ]);
  expect(await failureOf(provider.call("mcp_s_a", {}, { selected }))).toMatchObject({
    code: "registration_replaced",
    outcome: "not-sent",
  });
  const [again] = provider.tools();
  await provider.call("mcp_s_a", {}, { selected: again });
  await provider.close();
});

it("keeps what was selected when the same server comes back", async () => {
  const { provider, diagnostics, selected, restart } = await start(() => ({ name: "files", version: "1.0.0" }));
  await restart();
  expect(diagnostics).toEqual([]);
  expect(provider.tools()[0]).toBe(selected);
  await provider.call("mcp_s_a", {}, { selected });
  await provider.close();
});

it("tells whoever admits tools which version the server says it has, and asks again when it says another", async () => {
  let version = "1.0.0";
  const world = createCalmWorld();
  const server = world.server("s", "a");
  const versions: unknown[] = [];
  const provider = world.provider({
    servers: [specOf("s")],
    connector: connectorOf(world, () => ({ name: "files", version })),
    admit: (_, from) => (versions.push(from), version === "1.0.0" ? "offer" : "quarantine"),
    requestInterceptors: [(request, next) => (versions.push(request.server), next(request))],
  });
  await provider.init();
  await (await provider.connection("s")).request("resources/read", {});
  expect(versions).toMatchObject([
    { id: "s", labels: {}, version: "1.0.0" },
    { id: "s", labels: {}, version: "1.0.0" },
  ]);
  // The same object, so that what was decided can be kept with it.
  expect(versions[0]).toBe(versions[1]);
  expect(provider.describeServer?.("s")).toBe(versions[0]);
  version = "2.0.0";
  for (const session of server.sessions) session.crash();
  await provider.refresh();
  expect(provider.quarantined()).toMatchObject([{ server: { id: "s", version: "2.0.0" } }]);
  await provider.close();
});
