import { redacted, type Redactor } from "./secret-name.ts";
import type { ServerSpec } from "./server-spec.ts";
import { createRedactor } from "./secret-memory.ts";
import { maskPath, secretOfArgument } from "./spec-secrets.ts";
import { isJsonObject } from "./json.ts";

/**
 * A copy of a spec that is safe to log: values of headers, environment and tokens are replaced, and
 * so are what is secret in URLs and arguments that are secrets by their name (`--api-key …`,
 * `TOKEN=…`) or by their look, because API keys travel there; names stay.
 *
 * @example
 * console.log(JSON.stringify(redactSpec(spec))); // no credentials
 */
export function redactSpec(spec: ServerSpec): ServerSpec {
  if (spec.command !== undefined) {
    return {
      ...spec,
      ...(spec.args && { args: maskArguments(spec.args, createRedactor(spec)) }),
      ...(spec.env && { env: maskValues(spec.env) }),
    };
  }
  if (spec.url === undefined) return spec;
  return {
    ...spec,
    url: redactUrl(spec.url),
    ...(spec.headers && { headers: maskValues(spec.headers) }),
    ...(spec.bearerToken !== undefined && { bearerToken: redacted }),
    ...(spec.tls?.key !== undefined && { tls: { ...spec.tls, key: redacted } }),
  };
}

/**
 * A URL that is safe to log: no user info, no query values, no fragment, and of the path only
 * segments that people read, made of words, small numbers and versions:
 * `https://example.com/mcp/v1/***`. Text that is no URL comes back as `[redacted]`.
 *
 * @example
 * redactUrl("https://ada:secret@example.com/mcp"); // without the password
 */
export function redactUrl(url: string): string {
  if (!URL.canParse(url)) return redacted;
  const parsed = new URL(url);
  const user = parsed.username || parsed.password ? "***@" : "";
  const query = [...parsed.searchParams.keys()].map((key) => `${encodeURIComponent(key)}=***`).join("&");
  return `${parsed.protocol}//${user}${parsed.host}${maskPath(parsed.pathname, "***")}${query && `?${query}`}`;
}

function maskArguments(args: readonly string[], redact: Redactor): readonly string[] {
  return args.map((argument, index) => {
    const secret = secretOfArgument(argument, args[index - 1]);
    if (secret !== undefined) return `${argument.slice(0, argument.length - secret.length)}${redacted}`;
    return argument.includes("://") && URL.canParse(argument) ? redactUrl(argument) : redact(argument);
  });
}

function maskValues(record: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.keys(record).map((key) => [key, redacted]));
}

/**
 * A copy of JSON data with the secrets masked in each of its texts, names of members and numbers
 * included; the same object when there were none.
 */
export function redactData(data: unknown, redact: Redactor): unknown {
  if (typeof data === "string") return redact(data);
  if (typeof data === "number") return redact(String(data)) === String(data) ? data : redacted;
  if (Array.isArray(data)) {
    const items = data.map((item) => redactData(item, redact));
    return items.every((item, index) => item === data[index]) ? data : items;
  }
  if (!isJsonObject(data)) return data;
  const entries = Object.entries(data).map(([name, member]) => [redact(name), redactData(member, redact)] as const);
  const isSame = Object.entries(data).every(
    ([name, member], index) => entries[index]?.[0] === name && entries[index]?.[1] === member,
  );
  return isSame ? data : Object.fromEntries(entries);
}
