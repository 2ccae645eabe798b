import type { LoadedConfig } from "@hostside/config/node";
import type { ServerSpec } from "@hostside/core";
import { quoteText } from "@hostside/core/implement";
import { signInWhereAsked } from "../../auth/sign-in-where-asked.ts";
import { usageError } from "../usage-error.ts";

/** A server that somebody can sign in to. */
export interface SignInTarget {
  readonly spec: ServerSpec;
  readonly url: string;
}

/** The server as somebody signs in to it, or why nobody does, as a sentence. */
export function signInTarget(spec: ServerSpec): SignInTarget | string {
  if (spec.url === undefined) return "it is a program on this machine, which nobody signs in to";
  if (spec.auth === "api-key" || spec.bearerToken !== undefined) return "its entry has a token of its own";
  const asked = signInWhereAsked(spec);
  if (asked.url !== undefined && asked.auth === "oauth") return { spec: asked, url: asked.url };
  return "its entry has credentials of its own, or its URL is neither https: nor on this machine";
}

/** The same, of a server that is known to start. Throws a usage error where nobody signs in. */
export function mustSignInTarget({ servers }: Pick<LoadedConfig, "servers">, serverId: string): SignInTarget {
  const spec = servers.find(({ id }) => id === serverId);
  const target = spec === undefined ? "it is not there" : signInTarget(spec);
  if (typeof target === "string") throw usageError(`server ${quoteText(serverId, 200)} takes no sign-in: ${target}`);
  return target;
}
