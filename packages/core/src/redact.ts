import type { ServerSpec, TransportSpec } from "./server-spec.ts";

/** Stands in for a secret in any text. */
export const redacted = "[redacted]";

/** Replaces every secret it knows in a text. */
export type Redactor = (text: string) => string;

// Shorter values ("1", "true", "prod") are settings, not secrets; masking them would garble every message.
const shortestSecret = 6;

// The end of the name of a flag, variable or header whose value is a secret: `--api-key`, `GITHUB_TOKEN`, `Authorization`.
const secretName =
  /(?:token|secret|password|passwd|pwd|credentials?|authorization|auth|bearer|cookie|header|key|pat)s?$/i;

/**
 * A redactor for what one server may echo: its header values, bearer token and configured environment values, arguments that are
 * secrets by their name, and the password and query values of URLs.
 */
export function createRedactor(spec: ServerSpec): Redactor {
  // Longest first, so that a secret that contains another one goes as a whole.
  const secrets = secretsOf(spec).toSorted((a, b) => b.length - a.length);
  if (secrets.length === 0) return (text) => text;
  return (text) => secrets.reduce((masked, secret) => masked.replaceAll(secret, redacted), text);
}

/**
 * A copy of a spec that is safe to log: values of headers, environment and tokens are replaced, and so are URL query values and
 * arguments that are secrets by their name (`--api-key …`, `TOKEN=…`), because API keys travel there; names stay.
 */
export function redactSpec(spec: ServerSpec): ServerSpec {
  const { transport } = spec;
  switch (transport.kind) {
    case "stdio":
      return {
        ...spec,
        transport: {
          ...transport,
          ...(transport.args && { args: transport.args.map(maskArgument) }),
          ...(transport.env && { env: maskValues(transport.env) }),
        },
      };
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
  const secrets = configuredSecrets(transport).flatMap(echoesOf);
  return [...new Set(secrets.filter((secret) => secret.length >= shortestSecret))];
}

// How a text may show a secret: as a whole, line by line as logs are read, and as JSON writes it.
function echoesOf(secret: string): readonly string[] {
  const whole = secret.trim();
  const lines = whole.split("\n").map((line) => line.trim());
  return [whole, ...lines, JSON.stringify(whole).slice(1, -1)];
}

function configuredSecrets(transport: TransportSpec): readonly string[] {
  switch (transport.kind) {
    case "stdio":
      return [
        ...Object.values(transport.env ?? {}).flatMap((value) => [value, ...urlSecrets(value)]),
        ...(transport.args ?? []).flatMap((argument, index, args) => [
          ...argumentSecrets(argument, args[index - 1]),
          ...urlSecrets(argument),
        ]),
      ];
    case "http":
      return [
        ...Object.values(transport.headers ?? {}).flatMap(headerSecrets),
        transport.bearerToken ?? "",
        ...urlSecrets(transport.url),
      ];
    case "memory":
    case "custom":
      return [];
  }
}

// "Bearer abc" is echoed as a whole or as "abc" alone, a cookie as a whole or as one of its values.
function headerSecrets(value: string): readonly string[] {
  const token = /^\S+\s+(\S.*)$/.exec(value.trim())?.[1];
  const cookies = Array.from(value.matchAll(/=([^;]+)/g), ([, cookie = ""]) => cookie);
  return [value, ...(token === undefined ? [] : [token]), ...cookies];
}

// As they are written and as they are meant.
function urlSecrets(url: string): readonly string[] {
  if (!URL.canParse(url)) return [];
  const { password, search, searchParams } = new URL(url);
  const written = Array.from(search.matchAll(/=([^&]+)/g), ([, value = ""]) => value);
  return [password, ...written, ...searchParams.values()];
}

// `--token=abc`, `TOKEN=abc`, `Authorization: abc`, or `abc` after `--token`.
function argumentSecrets(argument: string, before: string | undefined): readonly string[] {
  const [, name = "", value = ""] = /^([^=:\s]+)[=:]\s*(\S.*)$/s.exec(argument) ?? [];
  if (secretName.test(name)) return headerSecrets(value);
  const followsFlag = before?.startsWith("-") === true && secretName.test(before) && !argument.startsWith("-");
  return followsFlag ? headerSecrets(argument) : [];
}

function maskArgument(argument: string, index: number, args: readonly string[]): string {
  const [secret] = argumentSecrets(argument, args[index - 1]);
  // The secret is the end of the argument, or all of it.
  if (secret !== undefined) return `${argument.slice(0, argument.length - secret.length)}${redacted}`;
  return argument.includes("://") && URL.canParse(argument) ? redactUrl(argument) : argument;
}

function maskValues(record: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.keys(record).map((key) => [key, redacted]));
}
