import type { ConfiguredServer } from "../configured-server.ts";
import { configDialectOf } from "../dialects/all-dialects.ts";
import type { ExpandContext } from "../expand/expand-context.ts";
import { findReferences } from "../expand/find-references.ts";
import { resolveReference } from "../expand/resolve-reference.ts";
import { hashText } from "../trust/fingerprint-entry.ts";
import { referencesOf } from "../trust/references-of.ts";
import type { FileSource } from "./file-source.ts";
import { isWithin, realPathOf } from "./real-path.ts";

/** What is needed to look at files of a project. */
export interface ProjectFiles {
  readonly source: FileSource;
  /** Without links. */
  readonly folder: string;
  readonly context: ExpandContext;
}

/**
 * What stands in the files that an entry names and that the project can change, as hashes by their
 * paths. What is elsewhere is not opened before the entry is trusted; of that, where it is counts.
 */
export async function hashProjectFiles(
  server: ConfiguredServer,
  files: ProjectFiles,
): Promise<Readonly<Record<string, string>>> {
  const hashes: [string, string][] = [];
  for (const { kind, name } of referencesOf(server)) {
    if (kind === "file") hashes.push([name, await hashFile(await expandPath(server, name, files), files)]);
  }
  return Object.fromEntries(hashes);
}

async function hashFile(path: string, { source, folder }: ProjectFiles): Promise<string> {
  const real = await realPathOf(source.resolve(path));
  if (!isWithin(folder, real)) return `at ${await hashText(real)}`;
  try {
    const text = await source.read(path);
    return text === undefined ? "missing" : await hashText(text);
  } catch {
    // Whoever expands the entry says why. Once it can be read, it is another one.
    return "unreadable";
  }
}

// The path of a file with variables may have references in it, as the one in a reference cannot.
async function expandPath(server: ConfiguredServer, path: string, { context }: ProjectFiles): Promise<string> {
  if (path !== server.extras.envFile) return path;
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
