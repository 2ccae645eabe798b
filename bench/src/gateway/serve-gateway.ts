// A gateway in front of one server, as main.ts measures it: a spec as JSON, then "stdio" or "http", which prints its URL.
import type { ServerSpec } from "@toolport/core";
import { createToolbox } from "@toolport/discovery";
import { createGateway } from "@toolport/gateway";
import { listen, serveStdio } from "@toolport/gateway/node";
import { createProvider } from "@toolport/provider";
import { createConnector } from "@toolport/transports";

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
