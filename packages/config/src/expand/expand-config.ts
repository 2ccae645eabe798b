import { assertServerSpec, isHostsideError, type ServerSpec } from "@hostside/core";
import { checkHttpSpec, isSecretName } from "@hostside/core/implement";
import type { ConfiguredServer, ServerDraft, ServerExtras } from "../drafts/configured-server.ts";
import { configDialectOf } from "../dialects/all-dialects.ts";
import type { ConfigProblem } from "../parse/config-problem.ts";
import { faultInWords } from "../drafts/spec-fault.ts";
import { parseEnvFile, type ExpandContext } from "./expand-context.ts";
import { createFieldExpander, type FieldExpander } from "./expand-field.ts";
import { readVariable } from "./expand-env.ts";
import { resolveReference } from "./resolve-reference.ts";

/** A server that is ready for a provider, or why it is not. */
export interface ExpandedServer {
  /**
   * Absent where a problem is an error. It passed `assertServerSpec`, and no credential of it goes
   * over plain HTTP.
   */
  readonly spec?: ServerSpec | undefined;
  /** As those of the configured server, expanded. */
  readonly extras: ServerExtras;
  readonly problems: readonly ConfigProblem[];
  /**
   * Values of the spec that came from variables with the name of a secret, from files and from
   * hidden inputs: for a redactor.
   */
  readonly secrets: readonly string[];
}

/**
 * Puts into a server what the references in it stand for, by the rules of its dialect: once, and
 * never in what a value brings. Never rejects; nothing is read but what `context` has.
 *
 * @example
 * const { spec, problems } = await expandConfig(server, { env: process.env });
 */
export async function expandConfig(server: ConfiguredServer, context: ExpandContext): Promise<ExpandedServer> {
  const { syntax } = configDialectOf(server.dialect);
  const fields = createFieldExpander(server, syntax, context);
  const expanded = await expandAll(server.draft, draftFields, fields);
  const filled = withVariables(server, { draft: expanded, fields, context });
  const extras = await expandAll(server.extras, ["oauth", "envFile"], fields);
  const secured = await withTlsFiles(withFolder(filled, server, context), { fields, context });
  const spec = await withEnvFile(secured, extras, { fields, context });
  const { problems, secrets } = fields;
  if (!problems.some(({ severity }) => severity === "error")) checkSpec(spec, fields, context);
  const isUsable = !problems.some(({ severity }) => severity === "error");
  return { ...(isUsable ? { spec } : {}), extras, problems, secrets: [...secrets] };
}

// In the order in which their problems are told.
const draftFields = ["args", "command", "env", "cwd", "url", "headers", "bearerToken"] as const;

async function expandAll<T extends object>(owner: T, names: readonly string[], fields: FieldExpander): Promise<T> {
  const expanded: [string, unknown][] = [];
  for (const name of names) {
    const value: unknown = Reflect.get(owner, name);
    if (value !== undefined) expanded.push([name, await expandValue(name, value, fields)]);
  }
  return { ...owner, ...Object.fromEntries(expanded) };
}

/** Every text of a value, whatever it is in. */
async function expandValue(field: string, value: unknown, fields: FieldExpander): Promise<unknown> {
  if (typeof value === "string") return fields.expand(field, value);
  if (typeof value !== "object" || value === null) return value;
  const expanded: [string, unknown][] = [];
  for (const [name, member] of Object.entries(value)) {
    const inner = Array.isArray(value) ? `${field}[${name}]` : `${field}.${name}`;
    expanded.push([name, await expandValue(inner, member, fields)]);
  }
  return Array.isArray(value) ? expanded.map(([, member]) => member) : Object.fromEntries(expanded);
}

interface Filling {
  readonly draft: ServerDraft;
  readonly fields: FieldExpander;
  readonly context: ExpandContext;
}

// What is the value of a variable by its place, and not by a reference.
function withVariables(server: ConfiguredServer, { draft, fields, context }: Filling): ServerDraft {
  let filled = draft;
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

function withFolder(draft: ServerDraft, { extras }: ConfiguredServer, { folders }: ExpandContext): ServerDraft {
  const folder = extras.defaultCwd === undefined ? undefined : folders?.[extras.defaultCwd];
  return draft.command === undefined || draft.cwd !== undefined || folder === undefined
    ? draft
    : { ...draft, cwd: folder };
}

// What is no PEM is the path of a file with it.
async function withTlsFiles(draft: ServerDraft, { fields, context }: Omit<Filling, "draft">): Promise<ServerDraft> {
  if (draft.url === undefined || draft.tls === undefined) return draft;
  const read = async (field: string, written: string): Promise<string> => {
    const text = await fields.expand(field, written);
    const isText = text.includes("-----BEGIN ");
    const found = isText
      ? { value: text, isSecret: true }
      : await resolveReference({ text, kind: "file", name: text }, context, []);
    if ("message" in found) fields.report(field, { severity: "error", ...found });
    if (!("value" in found)) return text;
    if (field === "tls.key" && found.isSecret) fields.addSecret(found.value);
    return found.value;
  };
  const { ca, cert, key } = draft.tls;
  const authorities = await Promise.all([ca ?? []].flat().map((one) => read("tls.ca", one)));
  const tls = {
    ...(ca !== undefined && { ca: authorities }),
    ...(cert !== undefined && { cert: await read("tls.cert", cert) }),
    ...(key !== undefined && { key: await read("tls.key", key) }),
  };
  return { ...draft, tls };
}

// What `env` has wins over the file.
async function withEnvFile(
  draft: ServerDraft,
  { envFile }: ServerExtras,
  { fields, context }: Omit<Filling, "draft">,
): Promise<ServerDraft> {
  if (draft.command === undefined || envFile === undefined) return draft;
  const read = await resolveReference({ text: envFile, kind: "file", name: envFile }, context, []);
  if ("message" in read) fields.report("envFile", { severity: "error", ...read });
  if (!("value" in read)) return draft;
  const variables = parseEnvFile(read.value);
  const secrets = read.isSecret ? [...variables].filter(([name, value]) => isSecretName(name) && value !== "") : [];
  for (const [, value] of secrets) fields.addSecret(value);
  return { ...draft, env: { ...Object.fromEntries(variables), ...draft.env } };
}

function withField(draft: ServerDraft, field: string, value: string): ServerDraft {
  const [, part = "", name] = /^([A-Za-z]+)(?:\.(.+))?$/s.exec(field) ?? [];
  if (name === undefined) return { ...draft, [part]: value };
  const members: object = Reflect.get(draft, part) ?? {};
  return { ...draft, [part]: { ...members, ...Object.fromEntries([[name, value]]) } };
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
