import { authenticateToolNames, createAuthenticateTools } from "@hostside/auth";
import { startAuthorizedServer, type AuthorizedServer } from "@hostside/fixtures";
import { createToolbox } from "@hostside/discovery";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { serverId, startHost } from "./signing-host.ts";

let server: AuthorizedServer;
beforeAll(async () => {
  server = await startAuthorizedServer();
});
beforeEach(() => server.control({ clearLog: true, reset: true }));
afterAll(() => server.close());

const [name = ""] = authenticateToolNames([serverId]);

describe("the tool by which a model asks for a sign-in", () => {
  it("opens the page, and brings the server's own tools in", async () => {
    await using host = startHost(server, { user: "grace" });
    const provider = host.providerFor();
    const tools = createAuthenticateTools({ oauth: host.oauth, provider });
    const toolbox = createToolbox({ providers: [provider, tools] });
    await provider.init();
    expect(tools.tools()).toMatchObject([{ name, inputSchema: { type: "object" } }]);
    const added: string[] = [];
    provider.onToolsChanged((change) => added.push(...change.added));
    const { content, isError } = await toolbox.call(name, {});
    expect(isError).toBe(false);
    expect(JSON.stringify(content)).toMatch(/notes/);
    expect(host.prompts).toHaveLength(1);
    expect(added).toContain(`mcp_${serverId}_whoami`);
    expect(tools.has(name)).toBe(false);
    expect(JSON.stringify(await toolbox.call(`mcp_${serverId}_whoami`, {}))).toContain("grace");
    await tools.close();
  });

  it("answers with what went wrong, without a secret, and can be called again", async () => {
    await using host = startHost(server);
    const provider = host.providerFor();
    await using tools = Object.assign(createAuthenticateTools({ oauth: host.oauth, provider }), {
      [Symbol.asyncDispose]: () => tools.close(),
    });
    await provider.init();
    await server.control({ faults: { token: { do: "echo", times: 2 } } });
    const failed = await tools.call(name, {});
    expect(failed.isError).toBe(true);
    const text = JSON.stringify(failed);
    expect((await server.secrets()).filter((secret) => text.includes(secret))).toEqual([]);
    expect((await tools.call(name, {})).isError).toBe(false);
  });
});
