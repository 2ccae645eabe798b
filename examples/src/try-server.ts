// Connects to one server and shows what a model would get: `pnpm try npx -y some-mcp-server`, or
// `pnpm try https://example.com/mcp`.
import { defaultTimeouts, type ServerSpec, type ServerEntry } from "@hostside/core";
import { createProvider } from "@hostside/provider";
import { createConnector } from "@hostside/transports";
import { createPrinter } from "./demo/printer.ts";

const [first, ...rest] = process.argv.slice(2);
const printer = createPrinter(process.stdout, process.env);
if (first === undefined || first === "--help" || first === "-h") {
  printer.line("usage: pnpm try <command> [arguments…]   or   pnpm try <url>");
  process.exitCode = 2;
} else {
  try {
    await show({ id: "server", ...readTransport(first) });
  } catch (error) {
    printer.line(error instanceof Error ? error.message : String(error), "red");
    process.exitCode = 1;
  }
}

function readTransport(target: string): ServerEntry {
  if (/^https?:\/\//i.test(target)) return { type: "http", url: target };
  return { type: "stdio", command: target, args: rest };
}

async function show(spec: ServerSpec): Promise<void> {
  await using provider = createProvider({ connector: createConnector(), servers: [spec] });
  // What stops nobody and still matters to whoever writes the server: what stands on stdout and is
  // no message, tools that were left out.
  provider.onDiagnostic(({ kind, message }) => printer.line(`note: ${kind}: ${message}`, "yellow"));
  // As long as connecting and listing may take: a first `npx` downloads.
  await provider.init({ timeoutMs: defaultTimeouts.connectMs + defaultTimeouts.listMs });
  for (const { error, state, server, toolCount } of provider.statuses()) {
    for (const text of error?.message.split("\n") ?? []) printer.line(text, "red");
    if (state !== "ready") {
      if (error === undefined) printer.line(`the server is not ready: ${state}`, "red");
      process.exitCode = 1;
    }
    if (server === undefined) continue;
    const { name = "a server without a name", version = "", era, protocolVersion } = server;
    printer.line(`${name} ${version}: ${era}, ${protocolVersion}, ${toolCount} tools`);
  }
  for (const { name, description } of provider.tools()) {
    printer.row([name, description.replaceAll(/\s+/g, " ")], [40]);
  }
}
