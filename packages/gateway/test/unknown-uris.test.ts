import { Client } from "@modelcontextprotocol/client";
import { expect, it } from "vitest";
import { createWorld } from "../../provider/test/resources/scripted-world.ts";
import { createResourceGateway } from "./resource-gateway.ts";
import { createUserTransport } from "./user-transport.ts";

it("reads the lists of all servers once for many URIs that no server has, and again a second later", async () => {
  const world = createWorld({ servers: ["a", "b"] });
  const names = ["first"];
  const asked: string[] = [];
  for (const id of ["a", "b"]) {
    world.server(id).capabilities = { resources: {} };
    world.server(id).answer = ({ method }) => {
      asked.push(`${id} ${method}`);
      if (method === "resources/read") return { contents: [{ uri: "a://later", text: id }] };
      return { resources: names.map((name) => ({ uri: `${id}://${name}`, name })), resourceTemplates: [] };
    };
  }
  const client = new Client({ name: "ada", version: "1" }, { versionNegotiation: { mode: "legacy" } });
  await client.connect(createUserTransport(createResourceGateway(world), "ada"));
  const uris = Array.from({ length: 50 }, (_, index) => `none://${index}`);
  const ends = await Promise.allSettled(uris.map((uri) => client.readResource({ uri })));
  expect(new Set(ends.map(({ status }) => status))).toEqual(new Set(["rejected"]));
  const once = ["a resources/list", "a resources/templates/list", "b resources/list", "b resources/templates/list"];
  expect(asked.toSorted()).toEqual(once);

  names.push("later");
  world.clock.advance(1000);
  expect(await client.readResource({ uri: "a://later" })).toMatchObject({ contents: [{ text: "a" }] });
  expect(asked.toSorted()).toEqual([...once, ...once, "a resources/read"].toSorted());
});
