import { assertKnownOptions, isPlainObject, kindOf, type Fields } from "@hostside/core/implement";
import type { ServerAddress } from "./server-address.ts";

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
  if (type === "stdio") {
    assertKnownOptions("an address of type stdio", address, stdioFields);
    assertCommand(server);
  } else if (type === "http" || type === "sse") {
    assertKnownOptions(`an address of type ${type}`, address, urlFields);
    if (!(url instanceof URL))
      throw mistake(`address.url must be a URL, such as new URL("https://…"), not ${kindOf(url)}`);
  } else
    throw mistake(
      `address.type must be "stdio", "http" or "sse", not ${typeof type === "string" ? JSON.stringify(type) : kindOf(type)}`,
    );
}

function assertCommand(server: unknown): void {
  if (!isPlainObject(server))
    throw mistake(`address.server must be an object with command and args, not ${kindOf(server)}`);
  // What else is in it is not refused: the transport of a spec is a command, too.
  const { command, args } = server;
  if (typeof command !== "string") throw mistake(`address.server.command must be a string, not ${kindOf(command)}`);
  if (!Array.isArray(args) || !args.every((arg) => typeof arg === "string"))
    throw mistake(`address.server.args must be an array of strings, not ${kindOf(args)}`);
}

function mistake(what: string): TypeError {
  return new TypeError(`checkServer(): ${what}`);
}
