import { readFile } from "node:fs/promises";
import type { JsonObject, JsonValue } from "@hostside/core";
import { isJsonObject } from "@hostside/core/implement";
import type { ServerAddress } from "../server/server-address.ts";
import type { TargetArguments } from "./command.ts";
import { terminalPrompt } from "@hostside/auth/node";
import { signIn } from "../server/sign-in.ts";

/** An address, or what is wrong with the arguments. */
export type ReadTarget =
  | { readonly ok: true; readonly address: ServerAddress }
  | { readonly ok: false; readonly mistake: string };

/**
 * Finds out where the server is: from a command, a URL, or an entry of a configuration file with
 * `mcpServers` or `servers`.
 */
export async function readTarget(
  { command, url, sse, config, server, headers, tokenEnv }: TargetArguments,
  env: Readonly<Record<string, string | undefined>> = process.env,
): Promise<ReadTarget> {
  const token = tokenEnv === undefined ? undefined : env[tokenEnv];
  if (tokenEnv !== undefined && !token) return { ok: false, mistake: `--token-env: ${tokenEnv} is not set` };
  const given = parseHeaders([...headers, ...(token ? [`Authorization: Bearer ${token}`] : [])]);
  if (typeof given === "string") return { ok: false, mistake: given };
  if (url !== undefined) return httpAddress(url, given);
  if (sse !== undefined) return httpAddress(sse, given, "sse");
  if (config !== undefined) return fromConfig(config, server, given);
  const [program = "", ...args] = command;
  return { ok: true, address: { type: "stdio", server: { command: program, args } } };
}

async function fromConfig(
  path: string,
  name: string | undefined,
  headers: Readonly<Record<string, string>>,
): Promise<ReadTarget> {
  const entries = await readEntries(path);
  if (typeof entries === "string") return { ok: false, mistake: entries };
  const names = [...entries.keys()].sort().join(", ");
  if (name === undefined)
    return { ok: false, mistake: `--server NAME is missing; ${path} has ${names || "no servers"}` };
  const entry = entries.get(name);
  if (entry === undefined)
    return { ok: false, mistake: `${path} has no server ${JSON.stringify(name)}; it has ${names || "none"}` };
  const type = entry["type"] === "sse" || entry["transport"] === "sse" ? "sse" : "http";
  if (typeof entry["url"] === "string")
    return httpAddress(entry["url"], { ...strings(entry["headers"]), ...headers }, type);
  const { command, args, cwd, env } = entry;
  if (typeof command !== "string")
    return { ok: false, mistake: `${path}: server ${JSON.stringify(name)} has neither command nor url` };
  const list = Array.isArray(args) ? args.filter((arg) => typeof arg === "string") : [];
  return {
    ok: true,
    address: {
      type: "stdio",
      server: { command, args: list, env: strings(env), ...(typeof cwd === "string" && { cwd }) },
    },
  };
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
    return `${path}: ${error instanceof Error ? error.message : String(error)}`;
  }
}

function httpAddress(
  url: string,
  headers: Readonly<Record<string, string>>,
  type: "http" | "sse" = "http",
): ReadTarget {
  if (!URL.canParse(url)) return { ok: false, mistake: `not a URL: ${JSON.stringify(url)}` };
  const parsed = new URL(url);
  if (!/^https?:$/.test(parsed.protocol))
    return { ok: false, mistake: `the URL must be http or https, not ${parsed.protocol}` };
  return { ok: true, address: { type, url: parsed, headers } };
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

/**
 * Signs in where the arguments ask for it. What is wrong, such as a page that was closed, is a
 * mistake in one line without any secret.
 */
export async function signInToTarget(
  address: ServerAddress,
  { oauth }: TargetArguments,
  { signal, env = process.env }: { signal: AbortSignal; env?: Readonly<Record<string, string | undefined>> },
): Promise<ReadTarget> {
  if (oauth === undefined) return { ok: true, address };
  if (address.type === "stdio") return { ok: false, mistake: "--oauth is for servers at a URL" };
  const { clientId, secretEnv, scopes } = oauth;
  const clientSecret = secretEnv === undefined ? undefined : env[secretEnv];
  if (secretEnv !== undefined && !clientSecret)
    return { ok: false, mistake: `--oauth-secret-env: ${secretEnv} is not set` };
  const asked = scopes.length > 0 ? { scopes } : {};
  const client =
    clientId !== undefined && clientSecret !== undefined
      ? ({ flow: "client_credentials", clientId, clientSecret, ...asked } as const)
      : { ...(clientId !== undefined && { clientId }), ...asked };
  const prompt = terminalPrompt({ input: process.stdin, output: process.stderr, env });
  try {
    return { ok: true, address: { ...address, signIn: await signIn({ url: address.url, client, prompt, signal }) } };
  } catch (error) {
    return { ok: false, mistake: `cannot sign in: ${error instanceof Error ? error.message : String(error)}` };
  }
}

/** What a promise comes to; when it has settled, what a sign-in holds is ended. */
export async function thenSignOut<T>(address: ServerAddress, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } finally {
    if (address.type !== "stdio") await address.signIn?.close();
  }
}
