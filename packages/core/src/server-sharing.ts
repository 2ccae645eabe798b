import { isCredentialHeader } from "./header-rules.ts";
import { isSecretName } from "./secret-name.ts";
import type { ServerSharing, ServerSpec } from "./server-spec.ts";
import { holdsCredential, secretOfArgument } from "./spec-secrets.ts";

/** Who may share a connection to this server: what its spec says, else all, but those of one principal alone where it has credentials. */
export function sharingOf(spec: ServerSpec): ServerSharing {
  return spec.sharing ?? (hasCredentials(spec) ? "principal" : "shared");
}

/** Whether whoever uses the server does so with somebody's credentials, as far as the spec shows. */
function hasCredentials(spec: ServerSpec): boolean {
  const { transport } = spec;
  return (transport.type === "http" && transport.auth !== undefined) || credentialFieldsOf(spec).length > 0;
}

/** The fields of a spec that hold a credential as it is, by their names: `transport.headers["X-API-Key"]`. Never what is in them. */
export function credentialFieldsOf({ transport }: ServerSpec): readonly string[] {
  switch (transport.type) {
    case "stdio": {
      const { command, args = [], env = {} } = transport;
      const words = command.trim().split(/\s+/);
      return [
        ...(words.some((word, index) => index > 0 && isSecretArgument(word, words[index - 1]))
          ? ["transport.command"]
          : []),
        ...Object.entries(env)
          .filter(([name, value]) => isSecretName(name) || holdsCredential(value))
          .map(([name]) => `transport.env[${JSON.stringify(name)}]`),
        ...args.flatMap((argument, index) =>
          isSecretArgument(argument, args[index - 1]) ? [`transport.args[${index}]`] : [],
        ),
      ];
    }
    case "http": {
      const names = Object.entries(transport.headers ?? {}).flatMap(([name, value]) =>
        isCredentialHeader(name) || holdsCredential(value) ? [name] : [],
      );
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

function isSecretArgument(argument: string, before: string | undefined): boolean {
  return secretOfArgument(argument, before) !== undefined || holdsCredential(argument);
}

// Whatever the user of it is called: it is sent as a credential.
function hasSecretInUrl(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { username, password, searchParams } = new URL(url);
  return username !== "" || password !== "" || Array.from(searchParams.keys()).some(isSecretName);
}
