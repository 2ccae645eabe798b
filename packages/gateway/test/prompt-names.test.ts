import { Client } from "@modelcontextprotocol/client";
import { expect, it } from "vitest";
import { createWorld } from "../../provider/test/resources/scripted-world.ts";
import { createResourceGateway } from "./resource-gateway.ts";
import { createUserTransport } from "./user-transport.ts";

it("leaves the names of a server's prompts to it, whatever another server calls its own", async () => {
  const world = createWorld({ servers: ["git", "git_enterprise"] });
  const prompts = { git: ["log"], git_enterprise: ["log"] };
  for (const id of ["git", "git_enterprise"] as const) {
    world.server(id).capabilities = { prompts: { listChanged: true } };
    world.server(id).answer = ({ method }) =>
      method === "prompts/get"
        ? { messages: [{ role: "user", content: { type: "text", text: id } }] }
        : { prompts: prompts[id].map((name) => ({ name })) };
  }
  const client = new Client({ name: "ada", version: "1" }, { versionNegotiation: { mode: "legacy" } });
  await client.connect(createUserTransport(createResourceGateway(world), "ada"));
  const namesNow = async (): Promise<readonly string[]> => (await client.listPrompts()).prompts.map(({ name }) => name);
  const ownerOf = async (name: string): Promise<unknown> => (await client.getPrompt({ name })).messages[0]?.content;
  expect(await namesNow()).toEqual(["git_log", "git_enterprise_log"]);

  prompts.git.push("enterprise_log");
  expect(await namesNow()).toEqual(["git_log", "git_enterprise_log", "git_enterprise_log_of_git"]);
  expect(await ownerOf("git_enterprise_log")).toMatchObject({ text: "git_enterprise" });
  expect(await ownerOf("git_enterprise_log_of_git")).toMatchObject({ text: "git" });
});
