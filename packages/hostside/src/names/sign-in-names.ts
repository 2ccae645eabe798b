import type { AuthenticateNamesOptions } from "@hostside/auth";
import { toolNamePrefix } from "@hostside/naming";
import type { HostOptions } from "../host-options.ts";

/** Names the tools for signing in as the provider names tools, where its names show the server. */
export function signInNames({ provider: { naming } = {} }: HostOptions): AuthenticateNamesOptions {
  if (naming?.showServer !== true) return {};
  return { nameOf: (serverId) => `${toolNamePrefix(serverId, naming)}authenticate` };
}
