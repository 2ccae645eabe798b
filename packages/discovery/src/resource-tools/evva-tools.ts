import { cleanText, type JsonObject } from "@hostside/core";
import { quoteText } from "@hostside/core/implement";
import { findEntries, takeEntries, entryTextsOf, boundPieces, readForModel, type ModelPiece } from "./model-view.ts";
import {
  answerOf,
  createResourceTool,
  errorResultOf,
  nameServers,
  offeringServers,
  resourceOriginOf,
  readTextArgument,
  type ResourceTool,
  type ToolParts,
} from "./resource-tool.ts";

/** evva's answer where there is nothing to ask. */
export const noManager = "no MCP manager configured";

/** The two tools of evva. Without `parts` they answer that nothing is configured. */
export function createEvvaTools(parts: ToolParts | undefined): readonly ResourceTool[] {
  return [createList(parts), createRead(parts)];
}

function createList(parts: ToolParts | undefined): ResourceTool {
  return createResourceTool({
    name: "list_mcp_resources",
    title: "List MCP resources",
    description: "Lists what connected MCP servers have to read, with the URI of each. With server: of that one alone.",
    properties: { server: { type: "string", description: "The id of a server. Default: all." } },
    async run(args, options) {
      if (parts === undefined) return errorResultOf(noManager);
      const { resources } = parts;
      const wanted = readTextArgument(args, "server");
      const all = resources.servers();
      if (wanted !== undefined && !all.some(({ serverId }) => serverId === wanted)) {
        return errorResultOf(`unknown MCP server ${quoteText(wanted)}; known servers: ${nameServers(all)}`);
      }
      // Who is not connected is left alone, and who fails is skipped.
      const servers = offeringServers(resources)
        .filter(({ serverId, state }) => state === "ready" && (wanted ?? serverId) === serverId)
        .map(({ serverId }) => serverId);
      const { entries } = await findEntries(parts, { kind: "resources", servers }, options);
      if (entries.length === 0) return answerOf("No resources found. Servers without resources may still have tools.");
      const values = entries.map((entry): JsonObject => {
        const { name, mimeType, description } = entryTextsOf(entry);
        return {
          ...("uri" in entry && { uri: entry.uri }),
          name,
          ...(mimeType !== undefined && { mimeType }),
          ...(description !== undefined && { description }),
          server: entry.serverId,
        };
      });
      const taken = takeEntries(values);
      const rest = values.length - taken.length;
      return answerOf(`${JSON.stringify(taken)}${rest === 0 ? "" : `\n\n[truncated ${rest} resources]`}`);
    },
  });
}

function createRead(parts: ToolParts | undefined): ResourceTool {
  return createResourceTool({
    name: "read_mcp_resource",
    title: "Read an MCP resource",
    description: "Reads one resource of an MCP server. Bytes that are no text are saved, and the answer says where.",
    properties: {
      server: { type: "string", description: "The id of the server that lists the resource." },
      uri: { type: "string", description: "The URI as it is listed." },
    },
    required: ["server", "uri"],
    async run(args, options) {
      if (parts === undefined) return errorResultOf(noManager);
      const serverId = readTextArgument(args, "server");
      const uri = readTextArgument(args, "uri");
      if (serverId === undefined) return errorResultOf("server is required");
      if (uri === undefined) return errorResultOf("uri is required");
      const all = parts.resources.servers();
      const server = all.find((known) => known.serverId === serverId);
      const named = `MCP server ${quoteText(serverId)}`;
      if (server === undefined) return errorResultOf(`${named} not found; known servers: ${nameServers(all)}`);
      if (server.state !== "ready") return errorResultOf(`${named} is not connected (status: ${server.state})`);
      if (server.resources !== true) return errorResultOf(`${named} does not support resources`);
      const read = await readForModel(parts, { serverId, uri }, options);
      if (read.kind === "failed") return errorResultOf(`read of ${quoteText(uri)} failed: ${read.problem}`);
      if (read.contents.length === 0) return errorResultOf(`resource ${quoteText(uri)} of ${named} has no contents`);
      const { pieces, missing, more } = await boundPieces(parts, { serverId, contents: read.contents }, options);
      const text = JSON.stringify({ contents: pieces.map(describePiece) });
      const marks = [
        ...(missing === 0 ? [] : [`[truncated ${missing} chars]`]),
        ...(more === 0 ? [] : [`[truncated ${more} contents]`]),
      ];
      return { ...answerOf([text, ...marks].join("\n\n")), origin: resourceOriginOf(serverId, "resources/read") };
    },
  });
}

function describePiece({ uri, mimeType, text, savedTo, bytes }: ModelPiece): JsonObject {
  const unsaved = bytes === undefined ? undefined : `[binary content of ${bytes} bytes was not saved]`;
  const shown = text ?? unsaved;
  return {
    uri,
    ...(mimeType !== undefined && { mimeType }),
    ...(shown !== undefined && { text: shown }),
    ...(savedTo !== undefined && { blobSavedTo: cleanText(savedTo, 4096) }),
  };
}
