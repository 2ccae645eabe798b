import { redactSpec, redactUrl, type HttpEntry, type JsonValue, type ServerSpec } from "@hostside/core";
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
  const { era = "auto" } = spec;
  const way = [registrationOf(spec), era, principal ?? null];
  if (spec.command !== undefined) {
    const { env = {}, inheritEnv = "safe" } = spec;
    return hashJson([...way, Object.keys(env).sort(), inheritEnv]);
  }
  if (spec.url === undefined) return hashJson(way);
  const { headers = {}, bearerToken, auth = bearerToken === undefined ? null : "bearer" } = spec;
  const { mode = "auto" } = copySpec(spec) as HttpEntry;
  const names = Object.keys(headers).map((name) => name.toLowerCase());
  return hashJson([...way, names.sort(), auth, mode]);
}

const registrations = new WeakMap<ServerSpec, string>();

/**
 * `sha256-` and a hash of what makes a registration: the source of a server, its id, and its
 * program (`command`, `args`, `cwd`) or URL, without what is secret by its name or its look. So
 * other credentials, limits or settings are the same registration.
 */
export function registrationOf(spec: ServerSpec): string {
  const known = registrations.get(spec) ?? hashJson([spec.source ?? null, spec.id, ...programOf(spec)]);
  registrations.set(spec, known);
  return known;
}

function programOf(spec: ServerSpec): JsonValue[] {
  const shown = redactSpec(copySpec(spec));
  if (shown.command !== undefined) {
    const { command, args = [], cwd = null } = shown;
    return ["stdio", createRedactor(spec)(command), [...args], cwd];
  }
  return shown.url === undefined ? [shown.type] : ["http", shown.url, plainQuery(spec)];
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
