import { isCredentialHeader } from "./header-rules.ts";
import { isSecretName } from "./secret-name.ts";
import type { ServerEntry, ServerSharing, ServerSpec } from "./server-spec.ts";
import { holdsCredential, secretOfArgument } from "./spec-secrets.ts";

/**
 * Who may share a connection to this server: what its spec says, else all, but those of one
 * principal alone where it has credentials.
 */
export function sharingOf(spec: ServerSpec): ServerSharing {
  return spec.sharing ?? (hasCredentials(spec) ? "principal" : "shared");
}

/**
 * Whether whoever uses the server does so with somebody's credentials, as far as the spec shows.
 */
function hasCredentials(spec: ServerSpec): boolean {
  return (spec.url !== undefined && spec.auth !== undefined) || credentialFieldsOf(spec).length > 0;
}

/**
 * Names the members of an entry that hold a credential as it is: `headers["X-API-Key"]`. Never
 * their values.
 */
export function credentialFieldsOf(entry: ServerEntry): readonly string[] {
  if (entry.command !== undefined) {
    const { command, args = [], env = {} } = entry;
    const words = command.trim().split(/\s+/);
    return [
      ...(words.some((word, index) => index > 0 && isSecretArgument(word, words[index - 1])) ? ["command"] : []),
      ...Object.entries(env)
        .filter(([name, value]) => isSecretName(name) || holdsCredential(value))
        .map(([name]) => `env[${JSON.stringify(name)}]`),
      ...args.flatMap((argument, index) => (isSecretArgument(argument, args[index - 1]) ? [`args[${index}]`] : [])),
    ];
  }
  if (entry.url === undefined) return [];
  const names = Object.entries(entry.headers ?? {}).flatMap(([name, value]) =>
    isCredentialHeader(name) || holdsCredential(value) ? [name] : [],
  );
  return [
    ...((entry.bearerToken ?? "").trim() === "" ? [] : ["bearerToken"]),
    ...names.map((name) => `headers[${JSON.stringify(name)}]`),
    ...(hasSecretInUrl(entry.url) ? ["url"] : []),
  ];
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
