import type { JsonObject } from "@hostside/core";
import { lockTools } from "@hostside/policy";
import { createProvider } from "@hostside/provider";
import { createConnector } from "@hostside/transports";
import { expect, it } from "vitest";
import { createMemoryServer } from "./tools-in-memory.ts";

it("locks a tool with the fingerprint by which a host knows it", async () => {
  const server = createMemoryServer("read", "write");
  await using provider = createProvider({
    connector: createConnector(),
    servers: [{ id: "memory", ...server.spec }],
  });
  await provider.init();
  const connection = await provider.connection("memory");
  const { tools } = (await connection.request("tools/list", {})) as { tools: readonly JsonObject[] };
  const locked = lockTools(tools, undefined).tools.map(({ name, hash }) => [name, hash]);
  const known = provider.tools().map(({ origin, fingerprint }) => [origin?.toolName, fingerprint]);
  expect(locked).toEqual(known);
  expect(locked).toHaveLength(2);
});
