import { assertKnownOptions, createRedactor, isPlainObject, kindOf } from "@hostside/core/implement";
import type { Fields, Redactor } from "@hostside/core/implement";
import { redactSpec, type ServerSpec } from "@hostside/core";
import type { SignIn } from "./sign-in.ts";
import type { ServerCommand } from "./stdio-session.ts";

/** Where the server under test is. */
export type ServerAddress =
  | { readonly type: "stdio"; readonly server: ServerCommand }
  /** `http` is Streamable HTTP, `sse` HTTP+SSE of 2024-11-05. */
  | {
      readonly type: "http" | "sse";
      readonly url: URL;
      readonly headers?: Readonly<Record<string, string>>;
      readonly signIn?: SignIn;
    };

/**
 * The address as a host's configuration would have it: for the host preview, and to know what is
 * secret.
 */
export function toServerSpec(address: ServerAddress, id = "server"): ServerSpec {
  if (address.type !== "stdio") {
    const { type, url, headers, signIn } = address;
    const auth = signIn && ({ auth: "oauth" } as const);
    const mode = type === "sse" ? ({ mode: "sse" } as const) : {};
    return { id, type: "http", url: url.href, ...mode, ...auth, ...(headers && { headers }) };
  }
  const { command, args, env, cwd, inheritEnv = "all" } = address.server;
  const optional = { ...(env && { env }), ...(cwd !== undefined && { cwd }) };
  return { id, type: "stdio", command, args, inheritEnv, ...optional };
}

/** Masks what is secret in the address, and the tokens that a sign-in brought. */
export function redactorOf(address: ServerAddress): Redactor {
  const redact = createRedactor(toServerSpec(address));
  const signIn = address.type === "stdio" ? undefined : address.signIn;
  return signIn ? (text) => signIn.redact(redact(text)) : redact;
}

/** The address for people: a command line or a URL, without secrets. */
export function describeAddress(address: ServerAddress): string {
  const spec = redactSpec(toServerSpec(address));
  if (spec.command !== undefined) return [spec.command, ...(spec.args ?? [])].join(" ");
  return address.type === "sse" ? `${spec.url} (HTTP+SSE)` : (spec.url ?? "");
}

const stdioFields: Fields<Extract<ServerAddress, { readonly type: "stdio" }>> = { type: true, server: true };
const urlFields: Fields<Exclude<ServerAddress, { readonly type: "stdio" }>> = {
  type: true,
  url: true,
  headers: true,
  signIn: true,
};

/**
 * Refuses an address at which no server can be: in JavaScript, no compiler has looked at it. Throws
 * a `TypeError` that names the member.
 */
export function assertServerAddress(address: unknown): asserts address is ServerAddress {
  if (!isPlainObject(address)) throw mistake(`address must be an object with a type, not ${kindOf(address)}`);
  const { type, server, url } = address;
  if (type !== "stdio" && type !== "http" && type !== "sse")
    throw mistake(`address.type must be "stdio", "http" or "sse", not ${JSON.stringify(type) ?? kindOf(type)}`);
  assertKnownOptions(`an address of type ${type}`, address, type === "stdio" ? stdioFields : urlFields);
  if (type !== "stdio") {
    if (url instanceof URL) return;
    throw mistake(`address.url must be a URL, such as new URL("https://…"), not ${kindOf(url)}`);
  }
  // What else is in it is not refused: the transport of a spec is a command, too.
  const { command, args } = isPlainObject(server) ? server : {};
  if (typeof command !== "string") throw mistake(`address.server.command must be a string, not ${kindOf(command)}`);
  if (!Array.isArray(args) || !args.every((arg) => typeof arg === "string"))
    throw mistake(`address.server.args must be an array of strings, not ${kindOf(args)}`);
}

function mistake(what: string): TypeError {
  return new TypeError(`checkServer(): ${what}`);
}

/** Whether a URL leads to this machine, by its hostname. */
export function isLoopback({ hostname }: URL): boolean {
  return hostname === "localhost" || hostname === "[::1]" || hostname.startsWith("127.");
}
