import type { ServerSpec } from "./server-spec.ts";

/** Stands in for a secret in any text. */
export const redacted = "[redacted]";

/** Replaces every secret it knows in a text. */
export type Redactor = (text: string) => string;

// Shorter values ("1", "true", "prod") are settings, not secrets; masking them would garble every message.
const shortestSecret = 6;

/**
 * A redactor for what one server may echo: its header values, bearer token and configured environment values, wherever they
 * appear, and the password or query of its URL.
 */
export function createRedactor(spec: ServerSpec): Redactor {
  // Longest first, so that a secret that contains another one goes as a whole.
  const secrets = secretsOf(spec).toSorted((a, b) => b.length - a.length);
  if (secrets.length === 0) return (text) => text;
  return (text) => secrets.reduce((masked, secret) => masked.replaceAll(secret, redacted), text);
}

/**
 * A copy of a spec that is safe to log: values of headers, environment and tokens are replaced, and so are URL query values,
 * because API keys travel there; names stay.
 */
export function redactSpec(spec: ServerSpec): ServerSpec {
  const { transport } = spec;
  switch (transport.kind) {
    case "stdio":
      return transport.env ? { ...spec, transport: { ...transport, env: maskValues(transport.env) } } : spec;
    case "http":
      return {
        ...spec,
        transport: {
          ...transport,
          url: redactUrl(transport.url),
          ...(transport.headers && { headers: maskValues(transport.headers) }),
          ...(transport.bearerToken !== undefined && { bearerToken: redacted }),
        },
      };
    case "memory":
    case "custom":
      return spec;
  }
}

/** A URL that is safe to log: no user info, no query values, no fragment. Text that is no URL comes back as `[redacted]`. */
export function redactUrl(url: string): string {
  if (!URL.canParse(url)) return redacted;
  const parsed = new URL(url);
  const user = parsed.username || parsed.password ? "***@" : "";
  const query = [...parsed.searchParams.keys()].map((key) => `${encodeURIComponent(key)}=***`).join("&");
  return `${parsed.protocol}//${user}${parsed.host}${parsed.pathname}${query && `?${query}`}`;
}

function secretsOf({ transport }: ServerSpec): readonly string[] {
  const values =
    transport.kind === "stdio"
      ? Object.values(transport.env ?? {})
      : transport.kind === "http"
        ? [
            ...Object.values(transport.headers ?? {}).flatMap(withoutScheme),
            transport.bearerToken ?? "",
            ...urlSecrets(transport.url),
          ]
        : [];
  return [...new Set(values.map((value) => value.trim()).filter((value) => value.length >= shortestSecret))];
}

// "Bearer abc" is echoed as a whole or as "abc" alone.
function withoutScheme(value: string): readonly string[] {
  const token = /^\S+\s+(\S.*)$/.exec(value.trim())?.[1];
  return token === undefined ? [value] : [value, token];
}

function urlSecrets(url: string): readonly string[] {
  if (!URL.canParse(url)) return [];
  const { password, searchParams } = new URL(url);
  return [password, ...searchParams.values()];
}

function maskValues(record: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.keys(record).map((key) => [key, redacted]));
}
