import { isCredentialHeader } from "./header-rules.ts";
import { isSecretName } from "./secret-name.ts";
import type { ServerSharing, ServerSpec } from "./server-spec.ts";
import { secretOfArgument } from "./spec-secrets.ts";

/** Who may share a connection to this server: what its spec says, else all, but those of one principal alone where it has credentials. */
export function sharingOf(spec: ServerSpec): ServerSharing {
  return spec.sharing ?? (hasCredentials(spec) ? "principal" : "shared");
}

/** Whether whoever uses the server does so with somebody's credentials, as far as the spec shows. */
function hasCredentials(spec: ServerSpec): boolean {
  const { transport } = spec;
  return (transport.kind === "http" && transport.auth !== undefined) || credentialFieldsOf(spec).length > 0;
}

/** The fields of a spec that hold a credential as it is, by their names: `transport.headers["X-API-Key"]`. Never what is in them. */
export function credentialFieldsOf({ transport }: ServerSpec): readonly string[] {
  switch (transport.kind) {
    case "stdio": {
      const { args = [], env = {} } = transport;
      const secretAt = (argument: string, index: number): boolean =>
        secretOfArgument(argument, args[index - 1]) !== undefined;
      return [
        ...Object.keys(env)
          .filter(isSecretName)
          .map((name) => `transport.env[${JSON.stringify(name)}]`),
        ...args.flatMap((argument, index) => (secretAt(argument, index) ? [`transport.args[${index}]`] : [])),
      ];
    }
    case "http": {
      const names = Object.keys(transport.headers ?? {}).filter(isCredentialHeader);
      return [
        ...((transport.bearerToken ?? "").trim() === "" ? [] : ["transport.bearerToken"]),
        ...names.map((name) => `transport.headers[${JSON.stringify(name)}]`),
        ...(hasSecretInUrl(transport.url) ? ["transport.url"] : []),
      ];
    }
    case "memory":
    case "custom":
      return [];
  }
}

function hasSecretInUrl(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { username, password, searchParams } = new URL(url);
  return username !== "" || password !== "" || Array.from(searchParams.keys()).some(isSecretName);
}
