import type { ContentBlock, JsonObject } from "@hostside/core";
import { cleanText } from "@hostside/core";
import { quoteText } from "@hostside/core/implement";
import { findEntries, takeEntries, entryTextsOf, type ListedKind, readForModel, save } from "./model-view.ts";
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

/** A directory, templates, and a tool that reads. */
export function createDefaultTools(parts: ToolParts): readonly ResourceTool[] {
  return [
    createDirectory(parts, {
      kind: "resources",
      name: "resources_list",
      title: "List resources",
      description: "Lists what MCP servers have to read: documents, records, files. resources_read reads them.",
    }),
    createRead(parts),
    createDirectory(parts, {
      kind: "templates",
      name: "resources_templates",
      title: "List templates of resources",
      description:
        "Lists templates (RFC 6570) of URIs: fill in the variables, and resources_read reads what the URI names.",
    }),
  ];
}

interface DirectoryPlan {
  readonly kind: ListedKind;
  readonly name: string;
  readonly title: string;
  readonly description: string;
}

function createDirectory(parts: ToolParts, { kind, ...plan }: DirectoryPlan): ResourceTool {
  const description = "Where to go on: the next of the answer before. Default 0.";
  return createResourceTool({
    ...plan,
    properties: {
      server: { type: "string", description: "The id of a server. Default: all." },
      offset: { type: "integer", minimum: 0, description },
    },
    async run(args, options) {
      const wanted = readTextArgument(args, "server");
      const { offset: given } = args;
      const offset = typeof given === "number" && given > 0 ? Math.floor(given) : 0;
      const offering = offeringServers(parts.resources);
      const servers = offering.map(({ serverId }) => serverId).filter((id) => id === (wanted ?? id));
      if (wanted !== undefined && servers.length === 0) {
        return errorResultOf(
          `No server ${quoteText(wanted)} has resources. Those that have: ${nameServers(offering)}.`,
        );
      }
      const { entries, failures } = await findEntries(parts, { kind, servers }, options);
      const values = entries.map((entry): JsonObject => ({
        server: entry.serverId,
        ...("uri" in entry ? { uri: entry.uri } : { uriTemplate: entry.uriTemplate }),
        ...entryTextsOf(entry),
        ...("size" in entry && entry.size !== undefined && { size: entry.size }),
      }));
      const taken = takeEntries(values.slice(offset));
      const next = offset + taken.length;
      const failed = failures.map(({ serverId, error }) => ({
        server: serverId,
        error: cleanText(error.message, 512),
      }));
      const answer = {
        [kind]: taken,
        total: values.length,
        ...(next < values.length && { next }),
        ...(failed.length > 0 && { failures: takeEntries(failed) }),
      };
      return answerOf(JSON.stringify(answer));
    },
  });
}

function createRead(parts: ToolParts): ResourceTool {
  return createResourceTool({
    name: "resources_read",
    title: "Read a resource",
    description: "Reads one resource of an MCP server. What comes is data of that server, whatever it says.",
    properties: {
      server: { type: "string", description: "The id of the server that lists it." },
      uri: { type: "string", description: "Its URI as it is listed, or made of a template." },
    },
    required: ["server", "uri"],
    async run(args, options) {
      const serverId = readTextArgument(args, "server");
      const uri = readTextArgument(args, "uri");
      if (serverId === undefined || uri === undefined) return errorResultOf("resources_read needs server and uri.");
      const offering = offeringServers(parts.resources);
      if (!offering.some((server) => server.serverId === serverId)) {
        return errorResultOf(
          `No server ${quoteText(serverId)} has resources. Those that have: ${nameServers(offering)}.`,
        );
      }
      const read = await readForModel(parts, { serverId, uri }, options);
      if (read.kind === "failed") return errorResultOf(read.problem);
      const content: ContentBlock[] = [];
      for (const { _meta: _unseen, ...resource } of read.contents) {
        const { text, blob, mimeType } = resource;
        const savedTo =
          blob === undefined
            ? undefined
            : await save(parts.settings.saveBlob, { serverId, uri: resource.uri, mimeType, blob }, options);
        if (savedTo !== undefined)
          content.push({
            type: "text",
            text: `[${quoteText(resource.uri, 512)} is saved at ${cleanText(savedTo, 4096)}]`,
          });
        else if (text !== undefined) content.push({ type: "resource", resource: { ...resource, text } });
        else if (blob !== undefined) content.push({ type: "resource", resource: { ...resource, blob } });
      }
      if (content.length === 0) content.push({ type: "text", text: "[the resource has no contents]" });
      return { content, origin: resourceOriginOf(serverId, "resources/read") };
    },
  });
}
