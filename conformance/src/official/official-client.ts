import { createOAuth, type ClientConfig, type OAuthPrompt } from "@hostside/auth";
import { isHostsideError, type JsonObject, type ServerSpec, type ToolDefinition } from "@hostside/core";
import { isJsonObject } from "@hostside/core/implement";
import { createProvider, type McpProvider } from "@hostside/provider";
import { createConnector } from "@hostside/transports";

// The program that the official suite (@modelcontextprotocol/conformance) starts for each client
// scenario: Hostside through its public API alone, and the same for every scenario. The URL is the
// last argument; the suite says what it wants to see in its environment.
const context = JSON.parse(process.env["MCP_CONFORMANCE_CONTEXT"] ?? "{}") as OfficialContext;
const url = process.argv.at(-1) ?? "";
const serverId = "official";

/** What the suite gives to scenarios that need it. */
interface OfficialContext {
  readonly client_id?: string;
  readonly client_secret?: string;
  readonly private_key_pem?: string;
  readonly signing_algorithm?: string;
  readonly idp_client_id?: string;
  readonly idp_id_token?: string;
  readonly idp_token_endpoint?: string;
  readonly valid_jwt?: string;
  readonly toolCalls?: readonly { readonly name: string; readonly arguments?: JsonObject }[];
}

// The suite counts every authorization attempt of a run, the first one too.
const mostSignIns = 3;
let signIns = 0;

/** A browser that consents to everything at once. */
const consent: OAuthPrompt = async ({ url: page }) => {
  signIns += 1;
  if (signIns > mostSignIns) return "cancelled";
  const response = await fetch(page, { redirect: "manual" });
  const location = response.headers.get("location");
  return location === null ? "cancelled" : { callbackUrl: new URL(location, page) };
};
const client = clientOf(process.env["MCP_CONFORMANCE_SCENARIO"] ?? "", context);
await using oauth = createOAuth({
  redirect: "http://127.0.0.1:3333/callback",
  product: {
    name: "hostside-conformance",
    metadataUrl: "https://conformance-test.local/client-metadata.json",
  },
  prompt: consent,
  clients: { ...(client !== undefined && { [serverId]: client }) },
});
// The suite starts all scenarios at once, and its own time for each is 240 s.
const spec: ServerSpec = {
  id: serverId,
  type: "http",
  url,
  auth: "oauth",
  timeouts: { connectMs: 200_000, listMs: 200_000, callMs: 200_000 },
};
const provider = createProvider({
  connector: createConnector({ authProvider: oauth.authProvider }),
  servers: [spec],
  onElicit: async ({ params }) => ({ action: "accept", content: answerOf(params) }),
});

try {
  await provider.refreshServer(serverId, { interactive: true });
  await callTools(provider);
  await readEverything(provider);
} finally {
  await provider.close();
}

/** Runs an operation, and again after the user signed in, as often as a product would ask. */
async function authorized<T>(operation: () => Promise<T>): Promise<T> {
  try {
    return await operation();
  } catch (error) {
    if (!isHostsideError(error, "auth_required") || signIns >= mostSignIns) throw error;
    await oauth.authorize(serverId);
    return authorized(operation);
  }
}

async function callTools(tools: McpProvider): Promise<void> {
  const definitions = tools.tools();
  const nameOf = (remote: string): string | undefined =>
    definitions.find(({ origin }) => origin?.toolName === remote)?.name;
  const wanted =
    context.toolCalls ??
    definitions.map(({ origin }) => ({
      name: origin?.toolName ?? "",
      arguments: argumentsFor(origin?.toolName, definitions),
    }));
  for (const { name, arguments: args } of wanted) {
    const local = nameOf(name);
    if (local !== undefined) await authorized(() => tools.call(local, args ?? {}));
  }
}

// The suite's tools by remote name. One is sent the schema of another, as it arrived here.
function argumentsFor(toolName: string | undefined, definitions: readonly ToolDefinition[]): JsonObject {
  switch (toolName) {
    case "add_numbers":
      return { a: 5, b: 3 };
    case "json_schema_echo":
      return { schema: definitions.find(({ origin }) => origin?.toolName === "json_schema_2020_12_tool")?.inputSchema };
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

// The multi-round scenario asks for a confirmation; everywhere else the schema's defaults are the
// answer.
function answerOf(params: JsonObject): JsonObject {
  const schema = params["requestedSchema"];
  const properties = isJsonObject(schema) && isJsonObject(schema["properties"]) ? schema["properties"] : {};
  return Object.hasOwn(properties, "confirmed") ? { confirmed: true } : {};
}

/**
 * The configuration that a product would have: what is given does not say by which flow it is to be
 * used, so the scenario does.
 */
function clientOf(scenario: string, given: OfficialContext): ClientConfig | undefined {
  const { client_id: clientId, client_secret: clientSecret } = given;
  if (clientId === undefined) return undefined;
  switch (scenario) {
    case "auth/client-credentials-basic":
      return { flow: "client_credentials", clientId, clientSecret };
    case "auth/client-credentials-jwt": {
      const { private_key_pem: key = "", signing_algorithm: algorithm = "" } = given;
      return { flow: "client_credentials", clientId, privateKey: { key, algorithm } };
    }
    case "auth/wif-jwt-bearer":
      return { flow: "jwt_bearer", clientId, assertion: () => given.valid_jwt ?? "" };
    case "auth/enterprise-managed-authorization": {
      const identityProvider = {
        tokenEndpoint: given.idp_token_endpoint,
        clientId: given.idp_client_id ?? "",
        idToken: () => given.idp_id_token ?? "",
      };
      return { flow: "enterprise_managed", clientId, clientSecret, identityProvider };
    }
    default:
      return { clientId, clientSecret };
  }
}
