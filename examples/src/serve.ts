// A product that serves what its users have as one MCP server over HTTP: each user by a token of
// theirs, with connections, questions and approvals of their own. Usage: node dist/serve.js
// mcp.json ADA_TOKEN BOB_TOKEN
import { pathToFileURL } from "node:url";
import { createHost } from "hostside";
import { approveByClient, createHostGateway, listen, type AskClient, type GatewayServer } from "hostside/gateway";

/**
 * Serves the servers of a configuration to the users of these tokens. What it returns ends all of
 * it.
 */
export async function serve(config: string, users: ReadonlyMap<string, string>): Promise<GatewayServer> {
  // A question reaches the client whose call it belongs to.
  const ask: AskClient = (request, signal) => gateway.elicit(request, signal);
  const host = await createHost({
    config,
    pool: {},
    // Clients hear at once that a server changed its tools, and not after the next call.
    provider: { refresh: "debounced" },
    onElicit: ask,
    policy: {
      approval: {
        mode: { tools: { effect: ["non-idempotent-write", "external"], reason: "the tool may change something" } },
        handler: approveByClient(ask),
      },
    },
  });
  const gateway = createHostGateway(host, { name: "product", version: "1.0.0", expose: "search" });
  const listening = await listen(gateway, {
    auth: {
      verifyToken(token) {
        const principal = users.get(token);
        return principal === undefined ? { refused: "invalid_token" } : { principal };
      },
    },
  });
  const close = async (reason?: string): Promise<void> => {
    await gateway.close(reason);
    await listening.close(reason);
    await host.close(reason);
  };
  return { ...listening, close, [Symbol.asyncDispose]: () => close() };
}

const [, program = "", config = "mcp.json", ...tokens] = process.argv;
if (import.meta.url === pathToFileURL(program).href) {
  const { url } = await serve(config, new Map(tokens.map((token, index) => [token, `user ${index + 1}`])));
  process.stdout.write(`${url}\n`);
}
