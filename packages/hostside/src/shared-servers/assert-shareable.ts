import { HostsideError } from "@hostside/core";
import { credentialFieldsOf } from "@hostside/core/implement";
import type { ReadEntry } from "../servers/server-entries.ts";

/**
 * Throws `invalid_spec` for a server that cannot be written to a store: it needs code, or holds a
 * credential.
 */
export function assertShareable({ spec, extras }: ReadEntry): void {
  const { id } = spec;
  const fail = (field: string, message: string): HostsideError =>
    new HostsideError(`server ${JSON.stringify(id)}: ${message}`, {
      code: "invalid_spec",
      serverId: id,
      details: { operation: "write", field },
    });
  if (spec.command === undefined && spec.url === undefined) {
    throw fail("type", `a server of type ${spec.type} needs code, and cannot be shared`);
  }
  const secret = extras.oauth?.clientSecret === undefined ? [] : ["oauth.clientSecret"];
  const [field] = [...credentialFieldsOf(spec), ...secret];
  if (field === undefined) return;
  const instead =
    spec.command === undefined
      ? 'say auth: "oauth", or auth: "api-key" with keys that each replica has'
      : "let the process have it from the environment of each replica (inheritEnv)";
  throw fail(field, `${field} holds a credential, which is not written to a shared store: ${instead}`);
}
