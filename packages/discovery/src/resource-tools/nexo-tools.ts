import { cleanText, type JsonObject } from "@hostside/core";
import { quoteText } from "@hostside/core/implement";
import type { Resource, ResourceTemplate } from "@hostside/core";
import {
  findEntries,
  takeEntries,
  entryTextsOf,
  type ListedKind,
  boundPieces,
  readForModel,
  type ModelPiece,
} from "./model-view.ts";
import {
  answerOf,
  createResourceTool,
  errorResultOf,
  nameServers,
  offeringServers,
  resourceOriginOf,
  readTextArgument,
  type ResourceTool,
  type ResourceToolResult,
  type ToolParts,
} from "./resource-tool.ts";

/** nexo's tools for these servers: its two routers, and three tools for each. */
export function createNexoTools(parts: ToolParts, serverIds: readonly string[]): readonly ResourceTool[] {
  return [createRouterList(parts), createRouterRead(parts), ...serverIds.flatMap((id) => createServerTools(parts, id))];
}

const uriProperty: JsonObject = {
  uri: { type: "string", description: "The URI as it is listed, or made of a template." },
};

function createServerTools(parts: ToolParts, serverId: string): readonly ResourceTool[] {
  const prefix = `[mcp:${cleanText(serverId, 256)}]`;
  const listOf = (
    kind: ListedKind,
    plan: { readonly tool: string; readonly title: string; readonly what: string },
  ): ResourceTool =>
    createResourceTool({
      name: nameServerTool(serverId, plan.tool),
      title: plan.title,
      description: `${prefix} ${plan.what}`,
      properties: {},
      async run(_args, options) {
        const { entries, failures } = await findEntries(parts, { kind, servers: [serverId] }, options);
        const [failure] = failures;
        if (failure !== undefined && entries.length === 0) {
          return errorResultOf(
            `mcp ${quoteText(serverId)} ${plan.tool} error: ${cleanText(failure.error.message, 512)}`,
          );
        }
        const values = entries.map(describeEntry);
        const taken = takeEntries(values);
        const truncated = taken.length < values.length || failure !== undefined;
        const text = JSON.stringify({ [kind === "resources" ? "resources" : "resourceTemplates"]: taken, truncated });
        return {
          ...answerOf(text),
          origin: resourceOriginOf(serverId, `resources/${kind === "resources" ? "list" : "templates/list"}`),
        };
      },
    });
  return [
    listOf("resources", {
      tool: "list_resources",
      title: "List resources",
      what: "Lists what this server has to read.",
    }),
    createResourceTool({
      name: nameServerTool(serverId, "read_resource"),
      title: "Read a resource",
      description: `${prefix} Reads one resource of this server.`,
      properties: uriProperty,
      required: ["uri"],
      async run(args, options) {
        const uri = readTextArgument(args, "uri");
        if (uri === undefined) return errorResultOf("missing required argument: uri");
        const read = await readForModel(parts, { serverId, uri }, options);
        if (read.kind === "failed")
          return errorResultOf(`mcp ${quoteText(serverId)} read_resource error: ${read.problem}`);
        const { pieces, missing, more } = await boundPieces(parts, { serverId, contents: read.contents }, options);
        const cut = missing + more > 0 ? ["[truncated]"] : [];
        const text = [...pieces.map((piece) => piece.text ?? markOf(piece)), ...cut].join("\n\n");
        return { ...answerOf(text), origin: resourceOriginOf(serverId, "resources/read") };
      },
    }),
    listOf("templates", {
      tool: "list_resource_templates",
      title: "List templates of resources",
      what: "Lists templates (RFC 6570) of URIs that this server can read.",
    }),
  ];
}

function createRouterList(parts: ToolParts): ResourceTool {
  return createResourceTool({
    name: "ListMcpResources",
    title: "List MCP resources",
    description: "Lists what MCP servers have to read. With server: of that one alone.",
    properties: { server: { type: "string", description: "The id of a server. Default: all." } },
    async run(args, options) {
      const wanted = readTextArgument(args, "server");
      const offering = offeringServers(parts.resources);
      const servers = offering.map(({ serverId }) => serverId).filter((id) => id === (wanted ?? id));
      if (wanted !== undefined && servers.length === 0) return unknownServer(wanted, offering);
      const { entries, failures } = await findEntries(parts, { kind: "resources", servers }, options);
      const values = entries.map((entry): JsonObject => ({ server: entry.serverId, ...describeEntry(entry) }));
      const taken = takeEntries(values);
      const errors = failures.map(({ serverId, error }) => ({
        server: serverId,
        error: cleanText(error.message, 512),
      }));
      const shown = takeEntries(errors);
      return answerOf(JSON.stringify({ resources: taken, truncated: taken.length < values.length, errors: shown }));
    },
  });
}

function createRouterRead(parts: ToolParts): ResourceTool {
  return createResourceTool({
    name: "ReadMcpResource",
    title: "Read an MCP resource",
    description: "Reads one resource of an MCP server.",
    properties: {
      server: { type: "string", description: "The id of the server that lists the resource." },
      ...uriProperty,
    },
    required: ["server", "uri"],
    async run(args, options) {
      const serverId = readTextArgument(args, "server");
      const uri = readTextArgument(args, "uri");
      if (serverId === undefined) return errorResultOf("missing required argument: server");
      if (uri === undefined) return errorResultOf("missing required argument: uri");
      const offering = offeringServers(parts.resources);
      if (!offering.some((server) => server.serverId === serverId)) return unknownServer(serverId, offering);
      const read = await readForModel(parts, { serverId, uri }, options);
      if (read.kind === "failed")
        return errorResultOf(`mcp ${quoteText(serverId)} ReadMcpResource error: ${read.problem}`);
      const { pieces, missing, more } = await boundPieces(parts, { serverId, contents: read.contents }, options);
      const contents = pieces.map((piece) => ({
        uri: piece.uri,
        ...(piece.mimeType !== undefined && { mimeType: piece.mimeType }),
        text: piece.text ?? markOf(piece),
      }));
      const text = JSON.stringify({ server: serverId, uri, contents, truncated: missing + more > 0 });
      return { ...answerOf(text), origin: resourceOriginOf(serverId, "resources/read") };
    },
  });
}

function unknownServer(serverId: string, offering: Parameters<typeof nameServers>[0]): ResourceToolResult {
  return errorResultOf(`no MCP server ${quoteText(serverId)} has resources; those that have: ${nameServers(offering)}`);
}

function describeEntry(entry: Resource | ResourceTemplate): JsonObject {
  const { annotations } = entry;
  return {
    ...("uri" in entry ? { uri: entry.uri } : { uriTemplate: entry.uriTemplate }),
    ...entryTextsOf(entry),
    ...("size" in entry && entry.size !== undefined && { size: entry.size }),
    ...(annotations !== undefined && { annotations }),
  };
}

// What bytes are for a model.
function markOf({ mimeType, savedTo, bytes = 0 }: ModelPiece): string {
  const type = mimeType ?? "application/octet-stream";
  return savedTo === undefined
    ? `[binary: ${type}, ${bytes} bytes]`
    : `[binary: ${type}, saved at ${cleanText(savedTo, 4096)}]`;
}

// `mcp_`, `_list_resource_templates` and 64 characters in all.
const longestServerPart = 34;

function nameServerTool(serverId: string, tool: string): string {
  const legal = serverId.replaceAll(/[^A-Za-z0-9_-]/g, "_");
  const part =
    legal === serverId && serverId.length <= longestServerPart ? serverId : `${legal.slice(0, 25)}_${hash(serverId)}`;
  return `mcp_${part}_${tool}`;
}

// FNV-1a, 32 bits: ids are the host's, and nobody gains by two that are the same.
function hash(text: string): string {
  let value = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193);
  return (value >>> 0).toString(16).padStart(8, "0");
}
