import { HostsideError, type JsonObject } from "@hostside/core";
import { isJsonObject } from "@hostside/core/implement";
import type { ClaimedServerInfo } from "../message/read-server-info.ts";
import { describeOffer } from "../message/from-rpc-error.ts";
import { safeExcerpt } from "../text/safe-excerpt.ts";
import { firstModernVersion, legacyRevisions } from "../message/revisions.ts";
import type { ServerContext } from "../context/server-context.ts";

/**
 * Reads the result of `initialize` leniently: a member of the wrong type that nobody needs, such as
 * the server's version, is left out. Throws `handshake_failed` without a revision or capabilities,
 * and `unsupported_protocol` for a revision that is not ours.
 */
export function readInitialized(result: JsonObject, context: ServerContext): ClaimedServerInfo {
  const { protocolVersion, capabilities, serverInfo, instructions } = result;
  if (typeof protocolVersion !== "string") throw malformed("initialize", "it names no protocol revision", context);
  if (!isJsonObject(capabilities)) throw malformed("initialize", "it names no capabilities", context);
  if (!legacyRevisions.includes(protocolVersion)) throw unsupported("initialize", [protocolVersion], context);
  return {
    era: "legacy",
    protocolVersion,
    implementation: serverInfo,
    instructions,
    capabilities: repairCapabilities(capabilities),
  };
}

/**
 * Reads the result of `server/discover` in the same way. A modern server names itself in `_meta`,
 * if at all. https://modelcontextprotocol.io/specification/2026-07-28/server/discover
 */
export function readDiscovered(result: JsonObject, context: ServerContext): ClaimedServerInfo {
  const { supportedVersions, capabilities, instructions, _meta: meta } = result;
  if (!Array.isArray(supportedVersions)) throw malformed("server/discover", "it names no revisions", context);
  if (!isJsonObject(capabilities)) throw malformed("server/discover", "it names no capabilities", context);
  const versions = supportedVersions.filter((version) => typeof version === "string");
  if (!versions.includes(firstModernVersion)) throw unsupported("server/discover", versions, context);
  return {
    era: "modern",
    protocolVersion: firstModernVersion,
    implementation: isJsonObject(meta) ? meta["io.modelcontextprotocol/serverInfo"] : undefined,
    instructions,
    capabilities: repairCapabilities(capabilities),
  };
}

const flags: ReadonlySet<string> = new Set(["listChanged", "subscribe"]);

function repairCapabilities(capabilities: JsonObject): JsonObject {
  const entries = Object.entries(capabilities).map(([name, value]) => [name, value === true ? {} : value] as const);
  const objects = entries.filter((entry): entry is readonly [string, JsonObject] => isJsonObject(entry[1]));
  // fromEntries defines properties, so that no name of the server's can be special.
  return Object.fromEntries(objects.map(([name, value]) => [name, withoutBadFlags(value)]));
}

function withoutBadFlags(capability: JsonObject): JsonObject {
  const good = Object.entries(capability).filter(([name, value]) => !flags.has(name) || typeof value === "boolean");
  return Object.fromEntries(good);
}

function malformed(method: string, fault: string, { serverId }: ServerContext): HostsideError {
  return new HostsideError(`server ${JSON.stringify(serverId)} answered ${method} with something malformed: ${fault}`, {
    code: "handshake_failed",
    serverId,
    details: { operation: method },
  });
}

function unsupported(method: string, versions: readonly string[], { serverId, redact }: ServerContext): HostsideError {
  const supported = versions.slice(0, 20).map((version) => safeExcerpt(version, redact, 40));
  return new HostsideError(
    `server ${JSON.stringify(serverId)} answered ${method} with no revision of this host's${describeOffer(supported)}`,
    { code: "unsupported_protocol", serverId, details: { operation: method, supported } },
  );
}
