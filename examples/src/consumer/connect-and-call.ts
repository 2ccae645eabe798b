// What a user writes on the first day, compiled and run against the packed packages.
import { isHostsideError, type ServerSpec, type ToolOutcome } from "@hostside/core";
import { fixtureServer } from "@hostside/fixtures";
import { createProvider } from "@hostside/provider";
import { createConnector } from "@hostside/transports";

const servers: readonly ServerSpec[] = [
  { id: "good", type: "stdio", ...fixtureServer("legacy-stdio") },
  { id: "missing", type: "stdio", command: "no-such-program" },
];
const provider = createProvider({ connector: createConnector(), servers });
try {
  await provider.init();
  const outcome: ToolOutcome = await provider.call("mcp_good_echo", { text: "packed" });
  const unknown: unknown = await provider.call("mcp_missing_echo").catch((error: unknown) => error);
  const [first] = outcome.content;
  const answer = first?.type === "text" ? first.text : undefined;
  const refused = isHostsideError(unknown, "unknown_tool");
  if (answer !== "packed" || !refused) throw new Error(`unexpected: ${JSON.stringify({ answer, refused })}`);
} finally {
  await provider.close();
}
