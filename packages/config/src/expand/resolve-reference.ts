import { isSecretName, quoteText } from "@hostside/core/implement";
import type { ConfigInput } from "../drafts/host-settings.ts";
import type { ConfigProblemCode } from "../parse/config-problem.ts";
import type { ExpandContext, Folders } from "./expand-context.ts";
import { readVariable } from "./expand-env.ts";
import type { ConfigReference } from "../syntax/references.ts";

/** The value of a reference, or why it has none. */
export type Resolved =
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
