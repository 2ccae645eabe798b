import { redactSpec, type ServerSpec } from "@toolport/core";
import type { ServerCommand } from "./stdio-session.ts";

/** Where the server under test is. */
export type ServerAddress =
  | { readonly kind: "stdio"; readonly server: ServerCommand }
  | { readonly kind: "http"; readonly url: URL; readonly headers?: Readonly<Record<string, string>> };

/** The address as a host's configuration would have it: for the host preview, and to know what is secret. */
export function toServerSpec(address: ServerAddress, id = "server"): ServerSpec {
  if (address.kind === "http") {
    const { url, headers } = address;
    return { id, transport: { kind: "http", url: url.href, ...(headers && { headers }) } };
  }
  const { command, args, env, cwd, inheritEnv = "all" } = address.server;
  return {
    id,
    transport: {
      kind: "stdio",
      command,
      args,
      inheritEnv,
      ...(env && { env }),
      ...(cwd !== undefined && { cwd }),
    },
  };
}

/** The address for people: a command line or a URL, without secrets. */
export function describeAddress(address: ServerAddress): string {
  const { transport } = redactSpec(toServerSpec(address));
  if (transport.kind === "http") return transport.url;
  return transport.kind === "stdio" ? [transport.command, ...(transport.args ?? [])].join(" ") : "";
}
