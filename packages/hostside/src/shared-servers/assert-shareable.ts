import { HostsideError, type ServerSpec } from "@hostside/core";
import { credentialFieldsOf } from "@hostside/core/implement";

/** Throws `invalid_spec` for a spec that cannot be written to a store: it needs code of this process, or holds a credential as it is. */
export function assertShareable(spec: ServerSpec): void {
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
  const [field] = credentialFieldsOf(spec);
  if (field === undefined) return;
  const instead =
    spec.command === undefined
      ? 'say auth: "oauth", or auth: "api-key" with keys that each replica has'
      : "let the process have it from the environment of each replica (inheritEnv)";
  throw fail(field, `${field} holds a credential, which is not written to a shared store: ${instead}`);
}
