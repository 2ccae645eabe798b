import { createHost } from "hostside";
import { expect, it } from "vitest";
import { createFakeConnector } from "./fake-connector.ts";

it("offers the tools for resources by the names that the product gives them", async () => {
  await using host = await createHost({
    connector: createFakeConnector({ a: { resources: true } }),
    servers: { a: { command: "x" } },
    resources: { tools: { names: { list: "list_mcp_resources", read: "read_mcp_resource" } } },
  });
  await host.toolbox.refresh();
  expect(host.tools().map(({ name }) => name)).toEqual(
    expect.arrayContaining(["list_mcp_resources", "read_mcp_resource", "resources_templates"]),
  );
  const outcome = await host.call("list_mcp_resources", { server: "a" });
  expect(outcome.isError).toBe(false);
  await expect(host.call("read_mcp_resource", { server: "b", uri: "x:y" })).resolves.toMatchObject({
    isError: true,
    content: [{ type: "text", text: expect.stringMatching(/"a"/) }],
  });
});
