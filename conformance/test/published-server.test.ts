import { createProvider } from "@hostside/provider";
import { createConnector } from "@hostside/transports";
import { createRequire } from "node:module";
import { expect, it, vi } from "vitest";

const require = createRequire(import.meta.url);
const everything = require.resolve("@modelcontextprotocol/server-everything/dist/index.js");

it(
  "a published server's resource is told of when it changes, and again after a reconnect",
  { timeout: 60_000 },
  async () => {
    const transport = { type: "stdio", command: process.execPath, args: [everything, "stdio"] } as const;
    await using provider = createProvider({ connector: createConnector(), servers: [{ id: "all", ...transport }] });
    await provider.init();
    const updates = vi.fn<(update: { readonly serverId: string; readonly uri: string }) => void>();
    provider.onResourceUpdated(updates);
    const uri = "demo://resource/dynamic/text/1";
    await provider.subscribeResource("all", uri);
    await provider.call("mcp_all_toggle_subscriber_updates", {});
    await vi.waitFor(() => expect(updates).toHaveBeenCalledWith({ serverId: "all", uri }), { timeout: 60_000 });
    updates.mockClear();
    await provider.disconnectServer("all");
    await provider.call("mcp_all_echo", { message: "back" });
    await vi.waitFor(() => expect(updates).toHaveBeenCalledWith({ serverId: "all", uri, maybeMissed: true }), {
      timeout: 60_000,
    });
    const connection = await provider.connection("all");
    await expect(connection.request("resources/read", { uri })).resolves.toHaveProperty("contents");
  },
);
