import { isSecretName, quoteText } from "@hostside/core/implement";
import type { ConfigInput } from "../drafts/configured-server.ts";
import type { ConfigProblemCode } from "../parse/config-problem.ts";
import { type ConfigReference, findReferences } from "../syntax/references.ts";
import type { ServerSpec } from "@hostside/core";

/** The value of a reference, or why it has none. */
type Resolved =
  | { readonly value: string; readonly isSecret: boolean }
  | { readonly unset: string }
  | { readonly code: ConfigProblemCode; readonly message: string; readonly fix?: string };

/** Looks one reference up. Never rejects. */
export async function resolveReference(
  reference: ConfigReference,
  context: ExpandContext,
  inputs: readonly ConfigInput[],
): Promise<Resolved> {
  const { kind, name, fallback } = reference;
  switch (kind) {
    case "variable":
    case "secret": {
      const value = readVariable(context.env, name, context.platform);
      if (value !== undefined) return { value, isSecret: kind === "secret" || isSecretName(name) };
      return fallback === undefined ? { unset: name } : { value: fallback, isSecret: false };
    }
    case "file":
      return readFile(name, context);
    case "input":
      return readInput(name, context, inputs);
    case "folder":
      return readFolder(name, context);
  }
}

async function readFile(path: string, { files, isShipped }: ExpandContext): Promise<Resolved> {
  const problem = (why: string): Resolved => ({
    code: "unreadable_reference",
    message: `the file ${quoteText(path)} ${why}`,
    fix: "check its path and its permissions",
  });
  try {
    const content = typeof files === "function" ? await files(path) : ownText(files, path);
    // The line break at the end is the editor's.
    if (content === undefined) return problem("is not there");
    return { value: content.replace(/\r?\n$/, ""), isSecret: (await isShipped?.(path)) !== true };
  } catch (error) {
    const code = typeof error === "object" && error !== null && "code" in error ? ` (${String(error.code)})` : "";
    return problem(`cannot be read${code}`);
  }
}

async function readInput(
  id: string,
  { inputs: answers }: ExpandContext,
  inputs: readonly ConfigInput[],
): Promise<Resolved> {
  const input = inputs.find((one) => one.id === id);
  if (input === undefined) {
    return { code: "missing_input", message: `no input has the id ${quoteText(id)}`, fix: "add it to inputs" };
  }
  try {
    const answer = typeof answers === "function" ? await answers(input) : ownText(answers, id);
    const value = answer ?? input.default;
    // A default stands in the file, for all to see.
    if (value !== undefined) return { value, isSecret: input.password === true && answer !== undefined };
  } catch {
    // Whoever asks has said why; for the server it is as good as no answer.
  }
  return { code: "missing_input", message: `there is no answer for the input ${quoteText(id)}` };
}

function readFolder(name: string, { folders = {}, platform }: ExpandContext): Resolved {
  const separator = platform === "win32" ? "\\" : "/";
  if (name === "/" || name === "pathSeparator") return { value: separator, isSecret: false };
  const wanted = name === "EXTENSION_ROOT" ? "extensionRoot" : name;
  const isBasename = wanted === "workspaceFolderBasename";
  const folder = folders[(isBasename ? "workspaceFolder" : wanted) as keyof Folders];
  if (folder === undefined) return { unset: name };
  const value = isBasename
    ? (folder
        .split(platform === "win32" ? /[\\/]/ : "/")
        .filter(Boolean)
        .at(-1) ?? "")
    : folder;
  return { value, isSecret: false };
}

function ownText(texts: Readonly<Record<string, string>> | undefined, name: string): string | undefined {
  return texts !== undefined && Object.hasOwn(texts, name) ? texts[name] : undefined;
}

/** Returns the value of a key; `undefined`: there is none. */
type Source<Key> = (key: Key) => string | undefined | Promise<string | undefined>;

/** All that references in a configuration may stand for. Nothing is read from anywhere else. */
export interface ExpandContext {
  readonly env: Env;
  /**
   * The content of the file at a path, as it is written in the reference. A rejection is a problem.
   * Default: no file can be read.
   */
  readonly files?: Readonly<Record<string, string>> | Source<string> | undefined;
  /**
   * True if a project brings the file at a path, and its entry: such a text is no secret of the
   * host. Default: none is.
   */
  readonly isShipped?: ((path: string) => boolean | Promise<boolean>) | undefined;
  /**
   * Answers, by the id of an input. Default: none, so that an input has its default or is a
   * problem.
   */
  readonly inputs?: Readonly<Record<string, string>> | Source<ConfigInput> | undefined;
  readonly folders?: Folders | undefined;
  /**
   * As `process.platform` says it; decides about separators and the case of variables. Default:
   * none that is Windows.
   */
  readonly platform?: string | undefined;
  /**
   * A further check of each spec, such as the `check` of a connector. An error that it throws is a
   * problem at the place of its field.
   */
  readonly check?: ((spec: ServerSpec) => void) | undefined;
}

/** Folders that references can name, as absolute paths. */
interface Folders {
  readonly workspaceFolder?: string | undefined;
  readonly userHome?: string | undefined;
  /** The folder of the configuration. */
  readonly configFolder?: string | undefined;
  /** The folder of the extension that brings the configuration. */
  readonly extensionRoot?: string | undefined;
}

const line = /^\s*(?:export\s+)?([A-Za-z_][\w.-]*)\s*=\s*(.*)$/;

/**
 * The variables of a file with a `NAME=value` in each line. A value may be in single or double
 * quotation marks, the latter with `\n`; what follows ` #` is a comment. Nothing is expanded, and a
 * line that is none of this is left out.
 */
export function parseEnvFile(text: string): ReadonlyMap<string, string> {
  const variables = new Map<string, string>();
  for (const written of text.split(/\r?\n|\r/)) {
    const [, name, value = ""] = line.exec(written) ?? [];
    if (name !== undefined) variables.set(name, readValue(value.trim()));
  }
  return variables;
}

function readValue(value: string): string {
  const [quote = ""] = value;
  const end = quote === '"' || quote === "'" ? value.indexOf(quote, 1) : -1;
  if (end < 0) return value.replace(/\s#.*$/, "").trimEnd();
  const inner = value.slice(1, end);
  return quote === '"' ? inner.replaceAll(String.raw`\n`, "\n") : inner;
}

/** Environment variables, as data: `process.env` is one such. */
export type Env = Readonly<Record<string, string | undefined>>;

/** A text in which variables were put in place of their names. */
interface ExpandedText {
  readonly expanded: string;
  /** The variables that are not set, each once, in their order. */
  readonly missing: readonly string[];
}

/**
 * `${VAR}` and `${VAR:-default}`. A variable that is set counts, also when it is empty; one that is
 * not set stays as it is written, and is in `missing`. `$VAR` stays as it is, and so does what is
 * in the value of a variable.
 */
export function expandEnv(text: string, env: Env): ExpandedText {
  const missing = new Set<string>();
  const expanded = findReferences(text, { forms: ["braces", "default"] }).map((piece) => {
    if (typeof piece === "string") return piece;
    const value = readVariable(env, piece.name) ?? piece.fallback;
    if (value === undefined) missing.add(piece.name);
    return value ?? piece.text;
  });
  return { expanded: expanded.join(""), missing: [...missing] };
}

/** The value of a variable that is set; on Windows its name may be in any case. */
export function readVariable(env: Env, name: string, platform?: string): string | undefined {
  if (Object.hasOwn(env, name)) return env[name];
  if (platform !== "win32") return undefined;
  const known = Object.keys(env).find((one) => one.toLowerCase() === name.toLowerCase());
  return known === undefined ? undefined : env[known];
}
