import { redactSpec, redactUrl, type ServerSpec } from "@hostside/core";
import { compareText, copySpec, createRedactor, isSecretName } from "@hostside/core/implement";
import { hashJson } from "@hostside/naming";

/**
 * `sha256-` and a hash of a server's id and of how it is reached, and for whom where that counts:
 * the `reachedBy` of its saved listing, which is `public` without a principal. Made of nothing that
 * is secret by its name or its look: of headers and variables the names, of a URL and of arguments
 * what may be shown. So other credentials are the same way; and functions of `memory` and `custom`
 * transports are all alike.
 */
export function fingerprintReach(spec: ServerSpec, principal: string | undefined): string {
  const { id, era = "auto" } = spec;
  const shown = redactSpec(copySpec(spec));
  if (shown.command !== undefined) {
    const { command, args = [], env = {}, inheritEnv = "safe", cwd = null } = shown;
    return hashJson([
      id,
      "stdio",
      era,
      createRedactor(spec)(command),
      [...args],
      Object.keys(env).sort(),
      inheritEnv,
      cwd,
      principal ?? null,
    ]);
  }
  if (shown.url === undefined) return hashJson([id, shown.type, era, principal ?? null]);
  const { url, headers = {}, bearerToken, auth = bearerToken === undefined ? null : "bearer", mode = "auto" } = shown;
  const names = Object.keys(headers).map((name) => name.toLowerCase());
  return hashJson([id, "http", era, url, plainQuery(spec), names.sort(), auth, mode, principal ?? null]);
}

// What chooses among the tools of a service, as a rule.
function plainQuery({ url }: ServerSpec): string[][] {
  if (url === undefined) return [];
  const pairs = Array.from(new URL(url).searchParams);
  return pairs
    .filter(([name, value]) => !isSecretName(name) && isReadable(value))
    .sort(([a], [b]) => compareText(a, b));
}

function isReadable(text: string): boolean {
  const url = `https://example.com/${encodeURIComponent(text)}`;
  return redactUrl(url) === url;
}
