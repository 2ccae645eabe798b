import { isToolportError, type JsonObject, type ServerSpec } from "@toolport/core";
import { isJsonObject } from "@toolport/core/implement";
import { createProvider, type McpProvider } from "@toolport/provider";
import { createConnector, finishAuthorization, type ConnectorOptions } from "@toolport/transports";
import { createMemoryOAuth, type GivenCredentials } from "./memory-oauth.ts";

// The program that the official suite (@modelcontextprotocol/conformance) starts for each client scenario: Toolport through its public
// API alone, and the same for every scenario. The URL is the last argument; the suite says what it wants to see in its environment.
const context = JSON.parse(process.env["MCP_CONFORMANCE_CONTEXT"] ?? "{}") as OfficialContext;
const url = process.argv.at(-1) ?? "";
const serverId = "official";

interface OfficialContext extends GivenCredentials {
  readonly toolCalls?: readonly { readonly name: string; readonly arguments?: JsonObject }[];
}

// The suite counts every authorization attempt of a run, the first one too.
const mostAuthorizations = 3;

const oauth = createMemoryOAuth(context);
const options: ConnectorOptions = { authProvider: () => oauth.provider };
const spec: ServerSpec = { id: serverId, transport: { kind: "http", url, auth: "oauth" } };
const provider = createProvider({
  connector: createConnector(options),
  servers: [spec],
  onElicit: async ({ params }) => ({ action: "accept", content: answerOf(params) }),
});
let authorizations = 0;

try {
  await authorized(() => provider.refreshServer(serverId, { interactive: true }));
  await callTools(provider);
  await readEverything(provider);
} finally {
  await provider.close();
}

/** Runs an operation, and again after the user consented, as often as a product would ask. */
async function authorized<T>(operation: () => Promise<T>): Promise<T> {
  try {
    return await operation();
  } catch (error) {
    if (!wantsConsent(error) || authorizations >= mostAuthorizations) throw error;
    const callback = (await oauth.consent()) ?? (await askForConsent());
    if (callback === undefined) throw error;
    authorizations += 1;
    await finishAuthorization(spec, callback, options);
    return authorized(operation);
  }
}

/** As the button of a product does: what has to be asked is asked while the user waits. */
async function askForConsent(): Promise<URLSearchParams | undefined> {
  await provider.refreshServer(serverId, { interactive: true }).catch(() => undefined);
  return oauth.consent();
}

function wantsConsent(error: unknown): boolean {
  return isToolportError(error) && error.kind === "auth";
}

async function callTools(tools: McpProvider): Promise<void> {
  const definitions = tools.definitions();
  const nameOf = (remote: string): string | undefined =>
    definitions.find(({ origin }) => origin?.toolName === remote)?.name;
  const wanted =
    context.toolCalls ??
    definitions.map(({ origin, inputSchema }) => ({
      name: origin?.toolName ?? "",
      arguments: argumentsFor(origin?.toolName, inputSchema),
    }));
  for (const { name, arguments: args } of wanted) {
    const local = nameOf(name);
    if (local !== undefined) await authorized(() => tools.call(local, args ?? {}));
  }
}

// The suite's tools by remote name; the schema is sent back exactly as the server listed it.
function argumentsFor(toolName: string | undefined, inputSchema: JsonObject): JsonObject {
  switch (toolName) {
    case "add_numbers":
      return { a: 5, b: 3 };
    case "json_schema_echo":
      return { schema: inputSchema };
    case "valid_tool":
      return { region: "us-west1" };
    default:
      return {};
  }
}

async function readEverything(tools: McpProvider): Promise<void> {
  const connection = await authorized(() => tools.connection(serverId));
  const { capabilities } = connection.server;
  if (isJsonObject(capabilities["resources"])) {
    const { resources } = (await connection.request("resources/list")) as { resources?: readonly { uri: string }[] };
    for (const { uri } of resources ?? []) await connection.request("resources/read", { uri });
  }
  if (isJsonObject(capabilities["prompts"])) {
    const { prompts } = (await connection.request("prompts/list")) as { prompts?: readonly { name: string }[] };
    for (const { name } of prompts ?? []) await connection.request("prompts/get", { name });
  }
}

// The multi-round scenario asks for a confirmation; everywhere else the schema's defaults are the answer.
function answerOf(params: JsonObject): JsonObject {
  const schema = params["requestedSchema"];
  const properties = isJsonObject(schema) && isJsonObject(schema["properties"]) ? schema["properties"] : {};
  return Object.hasOwn(properties, "confirmed") ? { confirmed: true } : {};
}
