import type { ConfiguredServer } from "../drafts/configured-server.ts";
import { configDialectOf } from "../dialects/all-dialects.ts";
import { type ExpandContext, resolveReference } from "../expand/resolve-reference.ts";
import { findReferences } from "../syntax/references.ts";
import { filePathsOf, hashText, referencesOf } from "../trust/describe-entry.ts";
import type { TrustEntry } from "../trust/trust.ts";
import type { FileSource } from "./read-config-file.ts";
import { isWithin, realPathOf } from "./resolve-paths.ts";
import { isAbsolute, resolve } from "node:path";
import type { ServerSpec } from "@hostside/core";
import { quoteText } from "@hostside/core/implement";
import type { ConfigProblem } from "../parse/config-problem.ts";
import { serverProblem } from "../drafts/spec-fault.ts";

/** The parts that files of a project are read with. */
export interface ProjectFiles {
  readonly source: FileSource;
  /** Without links. */
  readonly folder: string;
  readonly context: ExpandContext;
}

/**
 * Reads what stands in the files that an entry names and that the project can change, as hashes by
 * their paths, and as texts. A file outside of the project is not opened before the entry is
 * trusted; its hash is of its path.
 */
export async function readProjectFiles(
  server: ConfiguredServer,
  files: ProjectFiles,
): Promise<Required<Pick<TrustEntry, "files" | "contents">>> {
  const hashes: [string, string][] = [];
  const contents: [string, string][] = [];
  for (const { kind, name } of referencesOf(server)) {
    if (kind !== "file") continue;
    const read = await readProjectFile(await expandPath(server, name, files), files);
    hashes.push([name, read.hash]);
    if (read.text !== undefined) contents.push([name, read.text]);
  }
  return { files: Object.fromEntries(hashes), contents: Object.fromEntries(contents) };
}

async function readProjectFile(
  path: string,
  { source, folder }: ProjectFiles,
): Promise<{ readonly hash: string; readonly text?: string }> {
  const real = await realPathOf(source.resolve(path));
  if (!isWithin(folder, real)) return { hash: `at ${await hashText(real)}` };
  try {
    const text = await source.read(path);
    return text === undefined ? { hash: "missing" } : { hash: await hashText(text), text };
  } catch {
    // Whoever expands the entry says why. Once it can be read, it is another one.
    return { hash: "unreadable" };
  }
}

// A path that is a member of its own may have references in it, as the one in a reference cannot.
async function expandPath(server: ConfiguredServer, path: string, { context }: ProjectFiles): Promise<string> {
  if (!filePathsOf(server).includes(path)) return path;
  const texts: string[] = [];
  for (const piece of findReferences(path, configDialectOf(server.dialect).syntax)) {
    if (typeof piece === "string") {
      texts.push(piece);
      continue;
    }
    const isKnown = piece.kind === "variable" || piece.kind === "folder";
    const resolved = isKnown ? await resolveReference(piece, context, []) : { unset: piece.name };
    texts.push("value" in resolved ? resolved.value : piece.text);
  }
  return texts.join("");
}

/** The parts of a check of an extension's command. */
export interface ExtensionCheck {
  readonly server: ConfiguredServer;
  readonly context: ExpandContext;
  /** True if a command outside is an error; else it is a warning. */
  readonly strict: boolean;
}

/**
 * Checks that the command of an extension's server is within the extension, now that all is put
 * into it and links are followed. `undefined`: it is, or it is not of an extension.
 */
export async function checkExtensionRoot(
  spec: ServerSpec | undefined,
  { server, context, strict }: ExtensionCheck,
): Promise<ConfigProblem | undefined> {
  const root = context.folders?.extensionRoot;
  if (root === undefined || server.scope !== "extension" || spec?.command === undefined) return undefined;
  const { command } = spec;
  if (!/[\\/]/.test(command)) return undefined;
  const path = isAbsolute(command) ? command : resolve(spec.cwd ?? root, command);
  if (isWithin(await realPathOf(root), await realPathOf(path))) return undefined;
  const problem = {
    severity: strict ? "error" : "warning",
    code: "outside_root",
    message: `the command ${quoteText(command)} is outside of the extension`,
    fix: "use a program within the extension",
  } as const;
  return serverProblem(server, problem, "command");
}
