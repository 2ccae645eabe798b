import { HostsideError, type JsonObject, type ToolDefinition } from "@hostside/core";
import { freezeData, isJsonObject, quoteText, isAppUri } from "@hostside/core/implement";
import { malformedError } from "./ask-server.ts";
import type { ReadOptions } from "./server-lists.ts";
import type { ResourceRead } from "./read-cache.ts";
import type { Resources } from "./resources.ts";
import { longestUri } from "./check-uri.ts";

const operation = "resources/read";
const mostProblems = 100;
const mostDomains = 100;
const permissionNames: readonly AppPermission[] = ["camera", "microphone", "geolocation", "clipboardWrite"];
// An origin of CSP (https://www.w3.org/TR/CSP3/#framework-directive-source-list) with a scheme:
// nothing that could end a directive or a header. No two parts in a row can match the same
// character.
const originPattern = /^(?:https?|wss?):\/\/(?:\*\.)?[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*(?::(?:[0-9]{1,5}|\*))?\/?$/;
const longestOrigin = 300;
const hostPattern = /^[A-Za-z0-9](?:[A-Za-z0-9.-]{0,252})$/;

/**
 * Reads an app for its host, as `read()` does. For policy and permissions, the content's own
 * `_meta.ui` counts, or else that of its entry in the list, as far as `resources.snapshot()` has
 * it. Throws as `read()`, `invalid_arguments` for a URI of another scheme than `ui`, and
 * `protocol_error` where there is no page.
 */
export async function readApp(
  resources: Pick<Resources, "read" | "snapshot">,
  { serverId, uri }: AppReference,
  options: ReadOptions = {},
): Promise<App> {
  if (typeof uri === "string" && !isAppUri(uri)) {
    throw new HostsideError(`${quoteText(uri)} of server ${JSON.stringify(serverId)} is no app: its scheme is not ui`, {
      code: "invalid_arguments",
      serverId,
    });
  }
  const read = await resources.read({ serverId, uri }, options);
  const listed = resources.snapshot().entries.find((entry) => entry.serverId === serverId && entry.uri === uri);
  return toApp(read, listed?.meta);
}

function toApp({ serverId, uri, contents }: ResourceRead, listed: JsonObject | undefined): App {
  const problems: string[] = [];
  const report = (problem: string): void => {
    if (problems.length < mostProblems) problems.push(problem);
  };
  const [first] = contents;
  const content = contents.find((piece) => piece.uri === uri) ?? first;
  if (content === undefined) throw malformedError({ serverId, operation }, "without the page of an app");
  if (contents.length > 1) report(`${contents.length - 1} more pieces of content than the page`);
  const { mimeType, _meta: meta } = content;
  if (!isAppType(mimeType)) {
    report(`its type is ${mimeType === undefined ? "missing" : quoteText(mimeType)}, not text/html;profile=mcp-app`);
  }
  const html = content.text ?? decodePage(content.blob);
  if (html === undefined) throw malformedError({ serverId, operation }, "with a page that is no base64 of UTF-8");
  const ui = uiOf(meta) ?? uiOf(listed) ?? {};
  const { csp, permissions, domain, prefersBorder } = ui;
  const isHost = typeof domain === "string" && hostPattern.test(domain);
  if (domain !== undefined && !isHost) report("its domain is no host name");
  return freezeData({
    serverId,
    uri,
    html,
    ...(mimeType !== undefined && { mimeType }),
    csp: readPolicy(csp, report),
    permissions: readPermissions(permissions, report),
    ...(isHost && { domain }),
    ...(typeof prefersBorder === "boolean" && { prefersBorder }),
    problems,
  });
}

type Report = (problem: string) => void;

function uiOf(meta: JsonObject | undefined): JsonObject | undefined {
  const ui = meta?.["ui"];
  return isJsonObject(ui) ? ui : undefined;
}

function isAppType(mimeType: string | undefined): boolean {
  if (mimeType === undefined || mimeType.length > 256) return false;
  const [type, ...parameters] = mimeType.split(";").map((part) => part.trim().toLowerCase());
  return type === "text/html" && parameters.some((parameter) => parameter.replaceAll('"', "") === "profile=mcp-app");
}

function decodePage(blob: string | undefined): string | undefined {
  try {
    const bytes = Uint8Array.from(atob(blob ?? ""), (unit) => unit.charCodeAt(0));
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    // Half a page, or another one, would be worse than none.
    return undefined;
  }
}

const domainLists = ["connectDomains", "resourceDomains", "frameDomains", "baseUriDomains"] as const;

function readPolicy(csp: unknown, report: Report): AppPolicy {
  if (csp !== undefined && !isJsonObject(csp)) report("its csp is no object");
  const given: JsonObject = isJsonObject(csp) ? csp : {};
  const lists = domainLists.map((name) => [name, readOrigins(name, given[name] ?? [], report)]);
  return Object.fromEntries(lists) as AppPolicy;
}

function readOrigins(name: string, domains: unknown, report: Report): readonly string[] {
  if (!Array.isArray(domains) || domains.length > mostDomains) {
    report(`its csp.${name} is no array of at most ${mostDomains}`);
    return [];
  }
  return domains.filter((domain): domain is string => {
    const isOrigin = typeof domain === "string" && domain.length <= longestOrigin && originPattern.test(domain);
    if (!isOrigin)
      report(`its csp.${name} has ${typeof domain === "string" ? quoteText(domain, 80) : "what is"}, no origin`);
    return isOrigin;
  });
}

function readPermissions(permissions: unknown = {}, report: Report): readonly AppPermission[] {
  if (!isJsonObject(permissions)) {
    report("its permissions are no object");
    return [];
  }
  const unknown = Object.keys(permissions).filter((name) => !permissionNames.some((known) => known === name));
  for (const name of unknown.slice(0, mostProblems)) report(`its permission ${quoteText(name, 80)} is not known`);
  return permissionNames.filter((name) => isJsonObject(permissions[name]));
}

/**
 * The origins that an app may load from and connect to: origins, such as `https://cdn.example.com`
 * or `wss://*.example.com`. An empty list allows none.
 */
export interface AppPolicy {
  /** For requests (`connect-src`). */
  readonly connectDomains: readonly string[];
  /** For scripts, styles, pictures, fonts and media. */
  readonly resourceDomains: readonly string[];
  /** For frames in it (`frame-src`). */
  readonly frameDomains: readonly string[];
  /** For the base of its links (`base-uri`). */
  readonly baseUriDomains: readonly string[];
}

/** A feature of the device that an app would like to use. */
export type AppPermission = "camera" | "microphone" | "geolocation" | "clipboardWrite";

/**
 * A page of a server's, for a sandboxed frame of the host
 * (https://github.com/modelcontextprotocol/ext-apps). Everything in it is the server's: untrusted,
 * for users, and never for a model.
 */
export interface App {
  /** The server that it is of, and whose tools it may call. */
  readonly serverId: string;
  readonly uri: string;
  /** The page, whole. */
  readonly html: string;
  /** As the server says; `text/html;profile=mcp-app`, or there is a problem. */
  readonly mimeType?: string;
  /** The wishes of the server, without what is no origin. The host decides. */
  readonly csp: AppPolicy;
  /** The wishes of the server. */
  readonly permissions: readonly AppPermission[];
  /** The host name that it would like for itself, in the host's own form. */
  readonly domain?: string;
  readonly prefersBorder?: boolean;
  /** Problems with what it came with, in words for a developer: the first 100. */
  readonly problems: readonly string[];
}

/** The app that shows what a tool answers. */
export interface AppReference {
  readonly serverId: string;
  /** A URI of the scheme `ui`; at most 8,192 UTF-16 units. */
  readonly uri: string;
}

/**
 * The app that a tool of a provider names in its `_meta`: as `ui.resourceUri`, or as
 * `ui/resourceUri`, which earlier servers have. `undefined` where it names none, or what cannot be
 * one. The audience of the tool is another matter: a provider shows models only
 * what is for them.
 */
export function appOf(definition: Pick<ToolDefinition, "entry" | "origin">): AppReference | undefined {
  const { entry, origin } = definition;
  const meta = entry?.["_meta"];
  if (origin === undefined || !isJsonObject(meta)) return undefined;
  const uri = namedUri(meta);
  if (typeof uri !== "string" || !isAppUri(uri) || uri.length > longestUri) return undefined;
  return { serverId: origin.serverId, uri };
}

function namedUri(meta: JsonObject): unknown {
  const { ui } = meta;
  return (isJsonObject(ui) ? ui["resourceUri"] : undefined) ?? meta["ui/resourceUri"];
}
