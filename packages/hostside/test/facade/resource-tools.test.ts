import { createHost } from "hostside";
import { expect, it } from "vitest";
import { createFakeConnector } from "./fake-connector.ts";

it("offers the resource tools of evva also where no server has resources, and they say so", async () => {
  await using host = await createHost({
    connector: createFakeConnector(),
    servers: { a: { command: "x" } },
    resources: { tools: { shape: "evva" } },
  });
  expect(host.tools().map(({ name }) => name)).toEqual(
    expect.arrayContaining(["list_mcp_resources", "read_mcp_resource"]),
  );
  const outcome = await host.call("list_mcp_resources");
  expect([outcome.isError, JSON.stringify(outcome.content)]).toEqual([false, expect.stringMatching(/no .*resources/i)]);
  await expect(host.call("read_mcp_resource", { server: "a", uri: "x:y" })).resolves.toMatchObject({
    content: [{ type: "text", text: expect.stringMatching(/\ba\b/) }],
  });
});
