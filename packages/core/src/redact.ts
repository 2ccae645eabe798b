import { redacted, type Redactor } from "./redacted.ts";
import type { ServerSpec } from "./server-spec.ts";
import { createRedactor } from "./secret-memory.ts";
import { maskPath, secretOfArgument } from "./spec-secrets.ts";

/**
 * A copy of a spec that is safe to log: values of headers, environment and tokens are replaced, and so are what is secret in URLs and
 * arguments that are secrets by their name (`--api-key …`, `TOKEN=…`) or by their look, because API keys travel there; names stay.
 */
export function redactSpec(spec: ServerSpec): ServerSpec {
  const { transport } = spec;
  switch (transport.type) {
    case "stdio":
      return {
        ...spec,
        transport: {
          ...transport,
          ...(transport.args && { args: maskArguments(transport.args, createRedactor(spec)) }),
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

/**
 * A URL that is safe to log: no user info, no query values, no fragment, and of the path only segments that people read, made of words,
 * small numbers and versions: `https://example.com/mcp/v1/***`. Text that is no URL comes back as `[redacted]`.
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
