import { assertServerSpec, isHostsideError, type ServerSpec } from "@hostside/core";
import { checkHttpSpec, isSecretName } from "@hostside/core/implement";
import type { ConfiguredServer, ServerDraft, ServerExtras } from "../drafts/configured-server.ts";
import { configDialectOf } from "../dialects/all-dialects.ts";
import type { ConfigProblem } from "../parse/config-problem.ts";
import { faultInWords, serverProblem } from "../drafts/spec-fault.ts";
import { parseEnvFile, type ExpandContext, readVariable, resolveReference } from "./resolve-reference.ts";
import {
  findReferences,
  type ConfigReference,
  type ReferenceForm,
  type Syntax,
  type UnsetRule,
} from "../syntax/references.ts";

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
  const expanded = await expandAll(withoutUnknownFolder(server, context), draftFields, fields);
  const filled = withVariables(server, expanded, fields);
  const extras = await expandAll(server.extras, ["oauth", "envFile"], fields);
  const spec = await withEnvFile(await withTlsFiles(filled, fields), extras, fields);
  const { problems, secrets } = fields;
  if (!problems.some(({ severity }) => severity === "error")) checkSpec(spec, fields);
  const isUsable = !problems.some(({ severity }) => severity === "error");
  return { ...(isUsable ? { spec } : {}), extras, problems, secrets: [...secrets] };
}

// The dialect starts its processes in the project; without one, no entry asked for a folder.
function withoutUnknownFolder({ draft, places }: ConfiguredServer, { folders }: ExpandContext): ServerDraft {
  if (draft.type !== "stdio" || folders?.workspaceFolder !== undefined) return draft;
  const isAdded = draft.cwd === "${workspaceFolder}" && places.get("cwd")?.path.at(-1) !== "cwd";
  return isAdded ? { ...draft, cwd: undefined } : draft;
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

// What is the value of a variable by its place, and not by a reference.
function withVariables(server: ConfiguredServer, draft: ServerDraft, fields: FieldExpander): ServerDraft {
  const { env, platform } = fields.context;
  let filled = draft;
  for (const { field, variable, required } of server.variables) {
    const value = readVariable(env, variable, platform);
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

// What is no PEM is the path of a file with it.
async function withTlsFiles(draft: ServerDraft, fields: FieldExpander): Promise<ServerDraft> {
  if (draft.url === undefined || draft.tls === undefined) return draft;
  const read = async (field: string, written: string): Promise<string> => {
    const text = await fields.expand(field, written);
    const isText = text.includes("-----BEGIN ");
    const found = isText ? { value: text, isSecret: true } : await readFile(field, text, fields);
    if (field === "tls.key" && found?.isSecret === true) fields.addSecret(found.value);
    return found?.value ?? text;
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
async function withEnvFile(draft: ServerDraft, { envFile }: ServerExtras, fields: FieldExpander): Promise<ServerDraft> {
  if (draft.command === undefined || envFile === undefined) return draft;
  const read = await readFile("envFile", envFile, fields);
  if (read === undefined) return draft;
  const variables = parseEnvFile(read.value);
  const secrets = read.isSecret ? [...variables].filter(([name, value]) => isSecretName(name) && value !== "") : [];
  for (const [, value] of secrets) fields.addSecret(value);
  return { ...draft, env: { ...Object.fromEntries(variables), ...draft.env } };
}

async function readFile(field: string, path: string, { context, report }: FieldExpander) {
  const found = await resolveReference({ text: path, kind: "file", name: path }, context, []);
  if ("message" in found) report(field, { severity: "error", ...found });
  return "value" in found ? found : undefined;
}

function withField(draft: ServerDraft, field: string, value: string): ServerDraft {
  const [, part = "", name] = /^([A-Za-z]+)(?:\.(.+))?$/s.exec(field) ?? [];
  if (name === undefined) return { ...draft, [part]: value };
  const members: object = Reflect.get(draft, part) ?? {};
  return { ...draft, [part]: { ...members, ...Object.fromEntries([[name, value]]) } };
}

function checkSpec(spec: ServerSpec, fields: FieldExpander): void {
  try {
    assertServerSpec(spec);
    checkHttpSpec(spec);
    fields.context.check?.(spec);
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

type FieldExpander = ReturnType<typeof createFieldExpander>;
type FieldProblem = Pick<ConfigProblem, "code" | "fix" | "message" | "severity">;

// A value of a reference may be a file; a text full of references to it is nobody's wish.
const longestExpanded = 1024 * 1024;
const anyForm: readonly ReferenceForm[] = ["braces", "curly", "secrets"];

/** Expands the fields of one server, and collects what that brings to light. */
function createFieldExpander(server: ConfiguredServer, syntax: Syntax, context: ExpandContext) {
  const problems: ConfigProblem[] = [];
  const secrets = new Set<string>();
  const report = (field: string, problem: FieldProblem): void => {
    problems.push(serverProblem(server, problem, field));
  };
  return {
    context,
    problems,
    secrets,
    report,
    addSecret: (value: string): void => void secrets.add(value),
    /** The text of a field, such as `"env.TOKEN"`, with what its references stand for. */
    async expand(field: string, template: string): Promise<string> {
      const missing = new Set<string>();
      const texts: string[] = [];
      let length = 0;
      const rule = syntax.unset(partOf(field));
      for (const piece of findReferences(template, { forms: formsFor(syntax, field, context.platform) })) {
        if (typeof piece === "string") {
          const foreign = findReferences(piece, { forms: anyForm }).find((one) => typeof one !== "string");
          if (foreign !== undefined) report(field, notExpanded(foreign, server.dialect));
          texts.push(piece);
          continue;
        }
        const resolved = await resolveReference(piece, context, server.inputs);
        if ("value" in resolved) {
          if (resolved.isSecret && resolved.value !== "") secrets.add(resolved.value);
          texts.push(resolved.value);
          length += resolved.value.length;
          if (length > longestExpanded) {
            const message = `is longer than ${longestExpanded} characters with what its references stand for`;
            report(field, { severity: "error", code: "too_large", message });
            return template;
          }
        } else if ("unset" in resolved) {
          missing.add(nameInWords(resolved.unset));
          texts.push(rule === "empty" ? "" : piece.text);
        } else {
          report(field, { severity: "error", ...resolved });
        }
      }
      if (missing.size > 0) {
        const problem = syntax.evva === true ? missingForEvva(field, [...missing]) : missingProblem([...missing], rule);
        if (problem !== undefined) report(field, problem);
      }
      // Its command is expanded as a whole or not at all.
      return syntax.evva === true && missing.size > 0 && partOf(field) === "command" ? template : texts.join("");
    },
  };
}

function formsFor({ forms, foldersNotIn = [] }: Syntax, field: string, platform?: string): readonly ReferenceForm[] {
  const part = partOf(field);
  const without = new Set<ReferenceForm>();
  if (foldersNotIn.includes(part)) without.add("folders");
  // Elsewhere it is how URLs are written: `%20a%20`.
  if (platform !== "win32" || (part !== "env" && part !== "headers")) without.add("percent");
  return forms.filter((form) => !without.has(form));
}

function missingForEvva(field: string, names: readonly string[]): FieldProblem | undefined {
  if (partOf(field) === "args") return undefined;
  return { severity: "warning", code: "unset_variable", message: `missing [${names.join(" ")}]` };
}

function missingProblem(names: readonly string[], rule: UnsetRule): FieldProblem {
  const list = names.join(", ");
  const ends = {
    error: "",
    empty: ", and nothing is put in place",
    literal: ", and the text is sent as it is written",
  };
  const message = `${list} ${names.length === 1 ? "is" : "are"} not set${ends[rule]}`;
  const severity = rule === "error" ? "error" : "warning";
  return { severity, code: "unset_variable", message, fix: `set ${list}` };
}

// What follows the name may be a default, in a dialect that has none, and with it a secret.
function nameInWords(name: string): string {
  const [start = ""] = /^\w{0,80}/.exec(name) ?? [];
  return start === name ? name : `${start}…`;
}

function referenceInWords(text: string): string {
  const [start = ""] = /^\W{0,4}(?:[a-z]{1,8}[:.])?\w{0,80}/.exec(text) ?? [];
  return /^\s*\}{1,2}$/.test(text.slice(start.length)) ? text : `${start}…}`;
}

function notExpanded({ text }: ConfigReference, dialect: string): FieldProblem {
  const message = `${referenceInWords(text)} is not a reference in the dialect ${dialect}, and is sent as it is written`;
  return { severity: "warning", code: "not_expanded", message };
}

/** The first part of a field: `"env"` of `"env.TOKEN"`. */
function partOf(field: string): string {
  return /^[A-Za-z]+/.exec(field)?.[0] ?? field;
}
