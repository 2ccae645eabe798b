import { assertServerSpec, isHostsideError, type ServerSpec } from "@hostside/core";
import { checkHttpSpec, isSecretName } from "@hostside/core/implement";
import type { ConfiguredServer, ServerExtras } from "../configured-server.ts";
import { configDialectOf } from "../dialects/all-dialects.ts";
import type { ConfigProblem } from "../problem/config-problem.ts";
import { faultInWords } from "../problem/spec-fault.ts";
import type { ExpandContext } from "./expand-context.ts";
import { createFieldExpander, type FieldExpander } from "./expand-field.ts";
import { readVariable } from "./expand-env.ts";
import { parseEnvFile } from "./parse-env-file.ts";
import { resolveReference } from "./resolve-reference.ts";

/** A server that is ready for a provider, or why it is not. */
export interface ExpandedServer {
  /** Absent where a problem is an error. It passed `assertServerSpec`, and no credential of it goes over plain HTTP. */
  readonly spec?: ServerSpec | undefined;
  /** As those of the configured server, expanded. */
  readonly extras: ServerExtras;
  readonly problems: readonly ConfigProblem[];
  /** Values of the spec that came from variables with the name of a secret, from files and from hidden inputs: for a redactor. */
  readonly secrets: readonly string[];
}

/**
 * Puts into a server what the references in it stand for, by the rules of its dialect: once, and never in what a value brings. Never
 * rejects; nothing is read but what `context` has.
 */
export async function expandConfig(server: ConfiguredServer, context: ExpandContext): Promise<ExpandedServer> {
  const { syntax } = configDialectOf(server.dialect);
  const fields = createFieldExpander(server, syntax, context);
  const transport = await expandTransport(server, fields);
  const filled = withVariables(server, { transport, fields, context });
  const extras = await expandExtras(server.extras, fields);
  const complete = await withEnvFile(withFolder(filled, server, context), extras, { fields, context });
  const spec = { ...server.draft, transport: complete };
  const { problems, secrets } = fields;
  if (!problems.some(({ severity }) => severity === "error")) checkSpec(spec, fields, context);
  const isUsable = !problems.some(({ severity }) => severity === "error");
  return { ...(isUsable ? { spec } : {}), extras, problems, secrets: [...secrets] };
}

type Transport = ConfiguredServer["draft"]["transport"];

async function expandTransport({ draft: { transport } }: ConfiguredServer, fields: FieldExpander): Promise<Transport> {
  const text = async (field: string, value: string | undefined): Promise<Record<string, string>> =>
    value === undefined ? {} : { [field]: await fields.expand(`transport.${field}`, value) };
  const record = async (field: string, values: Readonly<Record<string, string>> | undefined) => {
    if (values === undefined) return {};
    const expanded: [string, string][] = [];
    for (const [name, value] of Object.entries(values)) {
      expanded.push([name, await fields.expand(`transport.${field}.${name}`, value)]);
    }
    return { [field]: Object.fromEntries(expanded) };
  };
  if (transport.type === "http") {
    return {
      ...transport,
      url: await fields.expand("transport.url", transport.url),
      ...(await record("headers", transport.headers)),
      ...(await text("bearerToken", transport.bearerToken)),
    };
  }
  const args: string[] = [];
  for (const [index, value] of (transport.args ?? []).entries()) {
    args.push(await fields.expand(`transport.args[${index}]`, value));
  }
  return {
    ...transport,
    command: await fields.expand("transport.command", transport.command),
    ...(transport.args === undefined ? {} : { args }),
    ...(await record("env", transport.env)),
    ...(await text("cwd", transport.cwd)),
  };
}

interface Filling {
  readonly transport: Transport;
  readonly fields: FieldExpander;
  readonly context: ExpandContext;
}

// What is the value of a variable by its place, and not by a reference.
function withVariables(server: ConfiguredServer, { transport, fields, context }: Filling): Transport {
  let filled: Transport = transport;
  for (const { field, variable, required } of server.variables) {
    const value = readVariable(context.env, variable, context.platform);
    if (value !== undefined && !(required && value.trim() === "")) {
      if (value !== "") fields.addSecret(value);
      filled = withField(filled, field, value);
    } else if (required) {
      const message = `${variable} is ${value === undefined ? "not set" : "empty"}`;
      fields.report(field, { severity: "error", code: "unset_variable", message, fix: `set ${variable}` });
    }
  }
  return filled;
}

function withFolder(transport: Transport, { extras }: ConfiguredServer, { folders }: ExpandContext): Transport {
  const folder = extras.defaultCwd === undefined ? undefined : folders?.[extras.defaultCwd];
  return transport.type !== "stdio" || transport.cwd !== undefined || folder === undefined
    ? transport
    : { ...transport, cwd: folder };
}

// What `env` has wins over the file.
async function withEnvFile(
  transport: Transport,
  { envFile }: ServerExtras,
  { fields, context }: Omit<Filling, "transport">,
): Promise<Transport> {
  if (transport.type !== "stdio" || envFile === undefined) return transport;
  const read = await resolveReference({ text: envFile, kind: "file", name: envFile }, context, []);
  if ("message" in read) fields.report("envFile", { severity: "error", ...read });
  if (!("value" in read)) return transport;
  const variables = parseEnvFile(read.value);
  for (const [name, value] of variables) if (isSecretName(name) && value !== "") fields.addSecret(value);
  return { ...transport, env: { ...Object.fromEntries(variables), ...transport.env } };
}

function withField(transport: Transport, field: string, value: string): Transport {
  const [, part = "", name] = /^transport\.([A-Za-z]+)(?:\.(.+))?$/s.exec(field) ?? [];
  if (name === undefined) return { ...transport, [part]: value };
  const members: object = Reflect.get(transport, part) ?? {};
  return { ...transport, [part]: { ...members, ...Object.fromEntries([[name, value]]) } };
}

async function expandExtras(extras: ServerExtras, fields: FieldExpander): Promise<ServerExtras> {
  const { oauth, envFile } = extras;
  const expanded: [string, unknown][] = [];
  for (const [name, value] of Object.entries(oauth ?? {})) {
    expanded.push([name, typeof value === "string" ? await fields.expand(`oauth.${name}`, value) : value]);
  }
  return {
    ...extras,
    ...(oauth === undefined ? {} : { oauth: Object.fromEntries(expanded) }),
    ...(envFile === undefined ? {} : { envFile: await fields.expand("envFile", envFile) }),
  };
}

function checkSpec(spec: ServerSpec, fields: FieldExpander, { check }: ExpandContext): void {
  try {
    assertServerSpec(spec);
    checkHttpSpec(spec);
    check?.(spec);
  } catch (error) {
    const { message, details } = isHostsideError(error)
      ? { message: faultInWords(error, spec.id), details: error.details }
      : { message: "the spec is refused by a check of the host", details: undefined };
    const field = details !== undefined && "field" in details ? details.field : "";
    fields.report(field, { severity: "error", code: "invalid_spec", message: hide(message, fields.secrets) });
  }
}

function hide(message: string, secrets: ReadonlySet<string>): string {
  return [...secrets].reduce(
    (text, secret) => (secret.length < 4 ? text : text.replaceAll(secret, "[redacted]")),
    message,
  );
}
