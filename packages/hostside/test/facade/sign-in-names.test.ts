import { evvaNaming, verbatimNaming } from "@hostside/naming";
import { startAuthorizedServer } from "@hostside/fixtures";
import { expect, it } from "vitest";
import { createHost, type HostOptions } from "hostside";

it.each<[string, string, Pick<HostOptions, "pool" | "provider">]>([
  ["the default", "mcp_un_auth_authenticate", {}],
  ["a preset", "mcp__un-auth__authenticate", { provider: { naming: evvaNaming } }],
  ["a preset, with pool", "mcp__un-auth__authenticate", { provider: { naming: evvaNaming }, pool: {} }],
  ["a preset without servers in names", "mcp_un_auth_authenticate", { provider: { naming: verbatimNaming } }],
])("the tools for signing in are named as the other tools are: %s", async (_, name, options) => {
  await using server = await startAuthorizedServer();
  await using host = await createHost({
    servers: { "un-auth": { type: "http", url: server.url } },
    authenticateTools: true,
    ...options,
  });
  const conversation = await host.conversation({ principal: "ada" });
  expect(conversation.tools().map((tool) => tool.name)).toContain(name);
});
