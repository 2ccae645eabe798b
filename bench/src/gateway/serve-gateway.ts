// A gateway in front of one server, as main.ts measures it: a spec as JSON, then "stdio" or "http",
// which prints its URL.
import type { ServerSpec } from "@hostside/core";
import { createToolbox } from "@hostside/discovery";
import { createGateway } from "@hostside/gateway";
import { listen, serveStdio } from "@hostside/gateway/node";
import { createProvider } from "@hostside/provider";
import { createConnector } from "@hostside/transports";

const [spec = "{}", way = "stdio"] = process.argv.slice(2);
const provider = createProvider({ connector: createConnector(), servers: [JSON.parse(spec) as ServerSpec] });
const toolbox = createToolbox({ providers: [provider] });
await toolbox.init();
const gateway = createGateway({
  name: "bench-gateway",
  version: "1.0.0",
  expose: "all",
  tools: "all",
  open: ({ view }) => ({ tools: toolbox.view(view) }),
});
if (way === "http") {
  const { url } = await listen(gateway, { auth: "none" });
  process.stdout.write(`${url}\n`);
} else {
  await serveStdio(gateway).ended;
  await gateway.close();
  await provider.close();
}
