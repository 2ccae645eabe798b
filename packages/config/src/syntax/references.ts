/** A reference in a text. */
export interface ConfigReference {
  /** As it is written, with its braces. */
  readonly text: string;
  readonly kind: "variable" | "file" | "input" | "folder" | "secret";
  readonly name: string;
  /** The value when the variable is not set. */
  readonly fallback?: string | undefined;
}

const folderNames: ReadonlySet<string> = new Set([
  "workspaceFolder",
  "workspaceFolderBasename",
  "userHome",
  "pathSeparator",
  "/",
  "configFolder",
  "extensionRoot",
  "EXTENSION_ROOT",
]);
const longestFolderName = 32;

/** A text in pieces: texts that stay, and references. One pass, and nothing is looked at twice. */
export function findReferences(text: string, { forms }: Pick<Syntax, "forms">): readonly (string | ConfigReference)[] {
  const pieces: (string | ConfigReference)[] = [];
  const has = new Set(forms);
  const closingAfter = createClosingFinder(text);
  let kept = 0;
  for (const { index } of text.matchAll(/[$%{]/g)) {
    if (index < kept) continue;
    const reference = referenceAt(text, index, { has, closingAfter });
    if (reference === undefined) continue;
    if (index > kept) pieces.push(text.slice(kept, index));
    pieces.push(reference);
    kept = index + reference.text.length;
  }
  if (kept < text.length) pieces.push(text.slice(kept));
  return pieces;
}

interface Search {
  readonly has: ReadonlySet<ReferenceForm>;
  readonly closingAfter: (index: number) => number;
}

// The next closing brace, -1 where there is none. It is asked for places one after the other, and
// reads the text once for all of them.
function createClosingFinder(text: string): (index: number) => number {
  let closing = text.indexOf("}");
  return (index) => {
    if (closing >= 0 && closing < index) closing = text.indexOf("}", index);
    return closing;
  };
}

function referenceAt(text: string, index: number, { has, closingAfter }: Search): ConfigReference | undefined {
  if (text.startsWith("${{", index)) {
    return has.has("secrets")
      ? matchAt(text, index, { pattern: /\$\{\{\s{0,16}secrets\.([^}\s]{1,256})\s{0,16}\}\}/y, kind: "secret" })
      : undefined;
  }
  if (text.startsWith("${", index)) {
    const end = closingAfter(index);
    return end < 0 ? undefined : inBraces(text.slice(index, end + 1), text.slice(index + 2, end), has);
  }
  if (text[index] === "{") {
    if (!has.has("curly") || !/^\{(?:env|file):/.test(text.slice(index, index + 6))) return undefined;
    const end = closingAfter(index);
    if (end < 0) return undefined;
    const [whole, kind, name] = splitPrefix(text.slice(index, end + 1));
    return name === "" ? undefined : { text: whole, kind: kind === "env" ? "variable" : "file", name };
  }
  if (text[index] === "%") {
    return has.has("percent") ? matchAt(text, index, { pattern: /%(\w+)%/y }) : undefined;
  }
  const shell = has.has("shell") ? matchAt(text, index, { pattern: /\$env:(\w+)/y }) : undefined;
  return shell ?? (has.has("bare") ? matchAt(text, index, { pattern: /\$([A-Za-z_]\w*)/y }) : undefined);
}

function splitPrefix(whole: string): readonly [string, string, string] {
  const colon = whole.indexOf(":");
  return [whole, whole.slice(1, colon), whole.slice(colon + 1, -1)];
}

interface Form {
  /** Sticky, with the name as its first group. */
  readonly pattern: RegExp;
  readonly kind?: ConfigReference["kind"];
}

function matchAt(text: string, index: number, { pattern, kind = "variable" }: Form): ConfigReference | undefined {
  pattern.lastIndex = index;
  const [whole, name] = pattern.exec(text) ?? [];
  return whole === undefined || name === undefined ? undefined : { text: whole, kind, name };
}

// What is no reference costs the same however long it is: a text may be full of them.
function inBraces(text: string, content: string, has: ReadonlySet<ReferenceForm>): ConfigReference | undefined {
  if (content === "") return undefined;
  if (has.has("folders") && content.length <= longestFolderName && folderNames.has(content)) {
    return { text, kind: "folder", name: content };
  }
  const [, prefix] = /^(env|file|input):./s.exec(content) ?? [];
  const rest = prefix === undefined ? "" : content.slice(prefix.length + 1);
  if (prefix === "file" && has.has("file")) return { text, kind: "file", name: rest };
  if (prefix === "input" && has.has("input")) return { text, kind: "input", name: rest };
  if (prefix === "env" && has.has("env")) return variable(text, rest, has);
  return has.has("braces") ? variable(text, content, has) : undefined;
}

function variable(text: string, content: string, has: ReadonlySet<ReferenceForm>): ConfigReference {
  const split = has.has("default") ? content.indexOf(":-") : -1;
  if (split < 0) return { text, kind: "variable", name: content };
  return { text, kind: "variable", name: content.slice(0, split), fallback: content.slice(split + 2) };
}

/** A way of writing a reference. */
export type ReferenceForm =
  /** `${NAME}` */
  | "braces"
  /** `${NAME:-default}`, and in the forms with a prefix as well. */
  | "default"
  /** `${env:NAME}` */
  | "env"
  /** `${file:path}` */
  | "file"
  /** `${input:id}` */
  | "input"
  /** `${workspaceFolder}`, `${userHome}` and their like */
  | "folders"
  /** `$NAME` */
  | "bare"
  /** `%NAME%`, in `env` and headers, and on Windows alone */
  | "percent"
  /** `{env:NAME}` and `{file:path}` */
  | "curly"
  /** `$env:NAME` */
  | "shell"
  /** `${{ secrets.NAME }}` */
  | "secrets";

/**
 * The result of a reference to a variable that is not set: the text as it is, nothing, or an error
 * that costs the server.
 */
export type UnsetRule = "literal" | "empty" | "error";

/** The forms of references in a dialect. */
export interface Syntax {
  readonly forms: readonly ReferenceForm[];
  /** By the first part of the field: `command`, `args`, `env`, `url`, `headers`, `cwd`. */
  unset(field: string): UnsetRule;
  /** Fields in which folders are no names. */
  readonly foldersNotIn?: readonly string[] | undefined;
  /**
   * `true`: a command is expanded as a whole or not at all, and nothing is said of arguments, as
   * evva does it.
   */
  readonly evva?: boolean | undefined;
}

/** Nothing is expanded. */
export const noSyntax: Syntax = { forms: [], unset: () => "literal" };
