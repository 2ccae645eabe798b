// Serves a gateway on its pipes, or with --http on a port that it prints, in front of the servers that its first argument names as JSON specs.
import { once } from "node:events";
import { createGateway } from "@hostside/gateway";
import { listen, serveStdio } from "@hostside/gateway/node";
import { createToolbox } from "@hostside/discovery";
import { createProvider } from "@hostside/provider";
import { createResources } from "@hostside/provider/resources";
import { createConnector } from "@hostside/transports";

const [specs = "[]", settings = "{}"] = process.argv.slice(2);
const { expose = "all", naming, http, resources: withResources = true, description, limits } = JSON.parse(settings);
const asked = {};
const provider = createProvider({
  connector: createConnector(),
  servers: JSON.parse(specs),
  onElicit: (request, signal) => asked.gateway.elicit(request, signal),
  ...(naming === "verbatim" && { naming: (await import("@hostside/naming")).verbatimNaming }),
  ...(description && { description }),
});
const toolbox = createToolbox({ providers: [provider] });
await toolbox.init();
const resources = createResources(provider);
const gateway = createGateway({
  name: "hostside-gateway",
  version: "1.0.0",
  expose,
  tools: "all",
  ...(limits && { limits }),
  ...(naming === "verbatim" && { namePrompt: (_server, name) => name }),
  open: (client) => ({
    tools: toolbox.view(client.view),
    ...(withResources && { resources }),
    onServerLog: provider.onServerLog,
  }),
});
asked.gateway = gateway;
const end = async () => {
  await gateway.close();
  await resources.close();
  toolbox.close();
  await provider.close();
};
if (http === true) {
  const server = await listen(gateway, { auth: "none" });
  process.stdout.write(`${server.url}\n`);
  process.stdin.resume();
  await once(process.stdin, "end");
  await end();
  await server.close();
} else {
  const served = serveStdio(gateway);
  await served.ended;
  await end();
  // What the client left unread would keep the process.
  process.exit();
}
