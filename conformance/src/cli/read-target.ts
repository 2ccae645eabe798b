import { messageOf } from "./command-io.ts";
import { readFile } from "node:fs/promises";
import type { JsonObject, JsonValue } from "@hostside/core";
import { isJsonObject } from "@hostside/core/implement";
import type { ServerAddress } from "../server/server-address.ts";
import { type OptionValues, type RunCommandLine, wantsOAuth } from "./command.ts";
import { terminalPrompt } from "@hostside/auth/node";
import { signIn } from "../server/sign-in.ts";

/**
 * Finds out where the server is: from a command, a URL, or an entry of a configuration file with
 * `mcpServers` or `servers`; and signs in where the arguments ask for it. A text is what is wrong, in
 * one line without any secret.
 */
export async function readTarget(
  { values, program }: Pick<RunCommandLine, "values" | "program">,
  signal: AbortSignal,
): Promise<ServerAddress | string> {
  const address = await readAddress(values, program);
  return typeof address !== "string" && wantsOAuth(values) ? signInAt(address, values, signal) : address;
}

async function readAddress(
  values: OptionValues,
  [command = "", ...args]: readonly string[],
): Promise<ServerAddress | string> {
  const { url, sse, config, server, header = [], "token-env": tokenEnv } = values;
  const token = tokenEnv === undefined ? undefined : process.env[tokenEnv];
  if (tokenEnv !== undefined && !token) return `--token-env: ${tokenEnv} is not set`;
  const given = parseHeaders([...header, ...(token ? [`Authorization: Bearer ${token}`] : [])]);
  if (typeof given === "string") return given;
  if (url !== undefined) return httpAddress(url, given);
  if (sse !== undefined) return httpAddress(sse, given, "sse");
  if (config !== undefined) return fromConfig(config, server, given);
  return { type: "stdio", server: { command, args } };
}

async function fromConfig(
  path: string,
  name: string | undefined,
  headers: Readonly<Record<string, string>>,
): Promise<ServerAddress | string> {
  const entries = await readEntries(path);
  if (typeof entries === "string") return entries;
  const names = [...entries.keys()].sort().join(", ");
  if (name === undefined) return `--server NAME is missing; ${path} has ${names || "no servers"}`;
  const entry = entries.get(name);
  if (entry === undefined) return `${path} has no server ${JSON.stringify(name)}; it has ${names || "none"}`;
  const type = entry["type"] === "sse" || entry["transport"] === "sse" ? "sse" : "http";
  if (typeof entry["url"] === "string")
    return httpAddress(entry["url"], { ...strings(entry["headers"]), ...headers }, type);
  const { command, args, cwd, env } = entry;
  if (typeof command !== "string") return `${path}: server ${JSON.stringify(name)} has neither command nor url`;
  const list = Array.isArray(args) ? args.filter((arg) => typeof arg === "string") : [];
  return { type: "stdio", server: { command, args: list, env: strings(env), ...(typeof cwd === "string" && { cwd }) } };
}

async function readEntries(path: string): Promise<ReadonlyMap<string, JsonObject> | string> {
  try {
    const value = JSON.parse(await readFile(path, "utf8")) as JsonValue;
    const servers = isJsonObject(value) ? (value["mcpServers"] ?? value["servers"]) : undefined;
    if (!isJsonObject(servers)) return `${path}: has neither mcpServers nor servers`;
    return new Map(
      Object.entries(servers).flatMap(([name, entry]) => (isJsonObject(entry) ? [[name, entry] as const] : [])),
    );
  } catch (error) {
    return `${path}: ${messageOf(error)}`;
  }
}

function httpAddress(
  url: string,
  headers: Readonly<Record<string, string>>,
  type: "http" | "sse" = "http",
): ServerAddress | string {
  if (!URL.canParse(url)) return `not a URL: ${JSON.stringify(url)}`;
  const parsed = new URL(url);
  if (!/^https?:$/.test(parsed.protocol)) return `the URL must be http or https, not ${parsed.protocol}`;
  return { type, url: parsed, headers };
}

function parseHeaders(headers: readonly string[]): Readonly<Record<string, string>> | string {
  const parsed = new Map<string, string>();
  for (const header of headers) {
    const colon = header.indexOf(":");
    // The value may be a secret: a mistake names only what comes before the colon.
    if (colon < 1) return `--header must be "Name: value"; this one has no name before a colon`;
    parsed.set(header.slice(0, colon).trim(), header.slice(colon + 1).trim());
  }
  return Object.fromEntries(parsed);
}

function strings(value: JsonValue | undefined): Readonly<Record<string, string>> {
  if (!isJsonObject(value)) return {};
  return Object.fromEntries(
    Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === "string"),
  );
}

async function signInAt(
  address: ServerAddress,
  values: OptionValues,
  signal: AbortSignal,
): Promise<ServerAddress | string> {
  if (address.type === "stdio") return "--oauth is for servers at a URL";
  const { "oauth-client": clientId, "oauth-secret-env": secretEnv, "oauth-scope": scopes } = values;
  const clientSecret = secretEnv === undefined ? undefined : process.env[secretEnv];
  if (secretEnv !== undefined && !clientSecret) return `--oauth-secret-env: ${secretEnv} is not set`;
  const asked = scopes === undefined ? {} : { scopes };
  const client =
    clientId !== undefined && clientSecret !== undefined
      ? ({ flow: "client_credentials", clientId, clientSecret, ...asked } as const)
      : { ...(clientId !== undefined && { clientId }), ...asked };
  const prompt = terminalPrompt({ input: process.stdin, output: process.stderr });
  try {
    return { ...address, signIn: await signIn({ url: address.url, client, prompt, signal }) };
  } catch (error) {
    return `cannot sign in: ${messageOf(error)}`;
  }
}
