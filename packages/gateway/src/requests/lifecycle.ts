import { modernRevision } from "@hostside/core/implement";
import type { JsonObject } from "@hostside/core";
import { rpcCodes, rpcError } from "../message/json-rpc.ts";
import { isLogLevel } from "../message/meta.ts";
import type { PeerContext, PeerRequestHandler } from "../peer/peer-context.ts";
import { cacheable, untilListed } from "./bounded.ts";
import type { GatewayConversation, GatewayTools } from "../settings/gateway-client.ts";
import type { GatewaySettings } from "../settings/gateway-options.ts";

/** `server/discover`. https://modelcontextprotocol.io/specification/2026-07-28/server/discover */
export const discover: PeerRequestHandler = async (context, request) => {
  if (context.settings.expose === "groups") await untilListed(context, request);
  return cacheable(context, {
    supportedVersions: [modernRevision],
    capabilities: capabilitiesOf(context.conversation),
    ...describe(context),
  });
};

/** The result of `initialize`, in this revision. */
export function initializeResult(context: PeerContext, protocolVersion: string): JsonObject {
  return {
    protocolVersion,
    capabilities: capabilitiesOf(context.conversation),
    serverInfo: context.settings.info,
    ...describe(context),
  };
}

/** `ping`. */
export const ping: PeerRequestHandler = () => ({});

/** `logging/setLevel`. */
export const setLogLevel: PeerRequestHandler = ({ news, conversation }, { params }) => {
  if (conversation.onServerLog === undefined) throw rpcError(rpcCodes.methodNotFound, "This gateway offers no logging");
  const { level } = params;
  if (!isLogLevel(level)) throw rpcError(rpcCodes.invalidParams, "level must be one of RFC 5424");
  news.setLogLevel(level);
  return {};
};

// Sampling and roots are not asked for.
function capabilitiesOf({ resources, onServerLog }: GatewayConversation): JsonObject {
  return {
    tools: { listChanged: true },
    ...(resources !== undefined && {
      resources: { subscribe: true, listChanged: true },
      prompts: { listChanged: true },
      completions: {},
    }),
    ...(onServerLog !== undefined && { logging: {} }),
  };
}

function describe({ settings, conversation }: PeerContext): JsonObject {
  const instructions = instructionsFor(settings, conversation.tools);
  return instructions === undefined || instructions === "" ? {} : { instructions };
}

const mostGroups = 50;
const how =
  "Tools are found, not listed: search with tools_search, or select by name or group with tools_select. What you found you can call by its name, through tools_read if it only reads, or else through tools_call.";

/**
 * The instructions of the gateway to the model of a client. They name the ids of servers and the
 * number of their tools, which are the host's words: what a server says of itself is no
 * instruction.
 */
function instructionsFor(
  { instructions, expose }: Pick<GatewaySettings, "instructions" | "expose">,
  tools: GatewayTools,
): string | undefined {
  const own = instructions();
  if (expose === "all") return own;
  const parts = [own, how];
  if (expose === "groups") {
    const groups = tools.groups();
    const shown = groups.slice(0, mostGroups).map(({ id, members }) => `${id} (${members.length})`);
    const more = groups.length > shown.length ? ` and ${groups.length - shown.length} more, see tools_groups` : "";
    if (shown.length > 0) parts.push(`Groups, with the number of their tools: ${shown.join(", ")}${more}.`);
  }
  return parts.filter((part) => part !== undefined && part !== "").join("\n\n");
}
