// Signs in to one server with OAuth and shows its tools: `pnpm sign-in https://example.com/mcp`.
// The second time, no page opens.
import { createOAuth } from "@hostside/auth";
import { createFileCredentials, defaultCredentialsFolder, loopbackRedirect, terminalPrompt } from "@hostside/auth/node";
import type { ServerSpec } from "@hostside/core";
import { createProvider } from "@hostside/provider";
import { createConnector } from "@hostside/transports";
import { homedir } from "node:os";
import { createPrinter } from "./demo/printer.ts";

const [url] = process.argv.slice(2);
const printer = createPrinter(process.stdout, process.env);
if (url === undefined || !URL.canParse(url)) {
  printer.line("usage: pnpm sign-in <url>");
  process.exitCode = 2;
} else {
  try {
    await show({ id: new URL(url).hostname, type: "http", url, auth: "oauth" });
  } catch (error) {
    printer.line(error instanceof Error ? error.message : String(error), "red");
    process.exitCode = 1;
  }
}

async function show(spec: ServerSpec): Promise<void> {
  const { env, platform, stderr, stdin } = process;
  const folder = defaultCredentialsFolder({ product: "hostside-example", platform, env, home: homedir() });
  await using oauth = createOAuth({
    store: createFileCredentials({ folder }),
    redirect: loopbackRedirect(),
    prompt: terminalPrompt({ input: stdin, output: stderr }),
    product: { name: "Hostside's example" },
  });
  const connector = createConnector({ authProvider: (server, request) => oauth.authProvider(server, request) });
  await using provider = createProvider({ connector, servers: [spec] });
  await provider.init();
  if (provider.statuses().some(({ state }) => state === "needs-auth")) {
    const { issuer, scopes } = await oauth.authorize(spec);
    printer.line(`signed in at ${issuer} for ${scopes.join(", ") || "what it gives"}`, "green");
    await provider.refreshServer(spec.id);
  }
  for (const { error } of provider.statuses()) if (error !== undefined) printer.line(error.message, "red");
  for (const { name, description } of provider.tools()) {
    printer.row([name, description.replaceAll(/\s+/g, " ")], [40]);
  }
}
