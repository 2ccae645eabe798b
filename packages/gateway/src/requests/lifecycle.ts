import type { JsonObject } from "@hostside/core";
import type { GatewayConversation } from "../gateway-client.ts";
import { rpcCodes } from "../message/json-rpc.ts";
import { isLogLevel } from "../message/log-levels.ts";
import { modernRevision } from "../message/revisions.ts";
import { rpcError } from "../message/rpc-error.ts";
import { instructionsFor } from "../offer/instructions.ts";
import type { PeerContext, PeerRequestHandler } from "../peer/peer-context.ts";
import { tasksExtension } from "../tasks/wire-task.ts";
import { cacheable } from "./caching.ts";
import { untilListed } from "./until-listed.ts";

/** `server/discover`. https://modelcontextprotocol.io/specification/2026-07-28/server/discover */
export const discover: PeerRequestHandler = async (context, request) => {
  if (context.settings.expose === "groups") await untilListed(context, request);
  return cacheable(context, {
    supportedVersions: [modernRevision],
    capabilities: {
      ...capabilitiesOf(context.conversation),
      ...(context.tasks !== undefined && { extensions: { [tasksExtension]: {} } }),
    },
    ...describe(context),
  });
};

/** The result of `initialize`, in this revision. */
export function initializeResult(context: PeerContext, protocolVersion: string): JsonObject {
  return {
    protocolVersion,
    capabilities: {
      ...capabilitiesOf(context.conversation),
      ...(context.tasks !== undefined && { tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } }),
    },
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
