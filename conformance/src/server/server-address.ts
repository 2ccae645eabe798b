import { createRedactor, type Redactor } from "@hostside/core/implement";
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
  return {
    id,
    type: "stdio",
    command,
    args,
    inheritEnv,
    ...(env && { env }),
    ...(cwd !== undefined && { cwd }),
  };
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
