import { Client } from "@modelcontextprotocol/client";
import type { Gateway } from "@hostside/gateway";
import { expect, it } from "vitest";
import { createWorld } from "../../provider/test/resources/scripted-world.ts";
import { createResourceGateway } from "./resource-gateway.ts";
import { createUserTransport } from "./user-transport.ts";

interface User {
  readonly client: Client;
  readonly changes: string[];
}

async function connect(gateway: Gateway, who: string, mode: "legacy" | { readonly pin: string }): Promise<User> {
  const changes: string[] = [];
  const onChanged =
    (kind: string) =>
    (error: Error | null): void =>
      void changes.push(error === null ? kind : error.message);
  const heard = { autoRefresh: false, debounceMs: 0 };
  const client = new Client(
    { name: who, version: "1" },
    {
      versionNegotiation: { mode },
      listChanged: {
        resources: { ...heard, onChanged: onChanged("resources") },
        prompts: { ...heard, onChanged: onChanged("prompts") },
      },
    },
  );
  await client.connect(createUserTransport(gateway, who));
  return { client, changes };
}

function createServed() {
  const world = createWorld({ servers: ["a", "b"] });
  const { server } = world;
  const names = ["first"];
  for (const id of ["a", "b"]) {
    server(id).capabilities = { resources: { listChanged: true }, prompts: { listChanged: true } };
    server(id).answer = ({ method }) => {
      if (method === "prompts/get") return { messages: [{ role: "user", content: { type: "text", text: id } }] };
      if (method === "resources/read") return { contents: [{ uri: `${id}://first`, text: id }] };
      return {
        resources: names.map((name) => ({ uri: `${id}://${name}`, name })),
        resourceTemplates: names.map((name) => ({ uriTemplate: `${id}://${name}/{x}`, name })),
        prompts: names.map((name) => ({ name })),
      };
    };
  }
  return { ...world, gateway: createResourceGateway(world), names };
}

it.each([["legacy"], [{ pin: "2026-07-28" }]] as const)(
  "lists resources, templates and prompts to a client whose token says who it is, and reads them (%j)",
  async (mode) => {
    const { gateway } = createServed();
    const { client } = await connect(gateway, "ada", mode);
    expect((await client.listResources()).resources.map(({ uri }) => uri)).toEqual(["a://first", "b://first"]);
    const { resourceTemplates } = await client.listResourceTemplates();
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual(["a://first/{x}", "b://first/{x}"]);
    expect((await client.listPrompts()).prompts.map(({ name }) => name)).toEqual(["a_first", "b_first"]);
    expect((await client.readResource({ uri: "b://first" })).contents).toMatchObject([{ text: "b" }]);
    expect((await client.getPrompt({ name: "b_first" })).messages).toMatchObject([{ content: { text: "b" } }]);
    await client.close();
    await gateway.close();
  },
);

it("finds what such a client asks for before it has listed anything", async () => {
  const { gateway } = createServed();
  const { client } = await connect(gateway, "ada", "legacy");
  expect((await client.readResource({ uri: "b://first" })).contents).toMatchObject([{ text: "b" }]);
  expect((await client.getPrompt({ name: "b_first" })).messages).toMatchObject([{ content: { text: "b" } }]);
  await client.close();
  await gateway.close();
});

it("shows each client what was listed for it, and no other one's", async () => {
  const world = createWorld({
    provider: {
      requestInterceptors: [
        async (request, next) => {
          const result = await next(request);
          if (request.method !== "resources/list") return result;
          const who = request.options.context?.principal ?? "nobody";
          return { resources: [{ uri: `note://${who}`, name: who }] };
        },
      ],
    },
  });
  const gateway = createResourceGateway(world);
  const [ada, bob] = await Promise.all([connect(gateway, "ada", "legacy"), connect(gateway, "bob", "legacy")]);
  const listed = async ({ client }: User) => (await client.listResources()).resources.map(({ uri }) => uri);
  expect([await listed(ada), await listed(bob), await listed(ada)]).toEqual([
    ["note://ada"],
    ["note://bob"],
    ["note://ada"],
  ]);
  await ada.client.close();
  await bob.client.close();
  await gateway.close();
});

it("tells such a client that a list has changed, and shows it the new one", async () => {
  const { gateway, server, names, clock } = createServed();
  const { client, changes } = await connect(gateway, "ada", "legacy");
  await client.listResources();
  await client.listPrompts();
  expect(changes).toEqual([]);
  names.push("second");
  server("a").hooks().onResourcesChanged?.();
  server("a").hooks().onPromptsChanged?.();
  await expect
    .poll(() => {
      clock.advance(1000);
      return changes.toSorted();
    })
    .toEqual(["prompts", "resources"]);
  expect((await client.listResources()).resources.map(({ uri }) => uri)).toContain("a://second");
  expect((await client.listPrompts()).prompts.map(({ name }) => name)).toContain("a_second");
  await client.close();
  await gateway.close();
});
