import { existsSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { dialectOfPath } from "../dialects/detect-dialect.ts";
import { isDialectName } from "../drafts/configured-server.ts";
import type { ConfigLayer } from "../layers/merge-layers.ts";
import type { ConfigProblem } from "../parse/config-problem.ts";
import type { ConfigResult } from "../dialects/read-parsed.ts";
import { findConfigs, findProjectFolder, projectOfFile, type ConfigLocation } from "./find-configs.ts";
import type { ConfigExtension, ConfigFile, LoadConfigOptions, LoadPlace } from "./load-options.ts";
import { fileProblem, readConfigText, readFileText } from "./read-config-file.ts";
import { isWithin, realPathOf } from "./resolve-paths.ts";
import { isConfigMap } from "../parse/config-data.ts";
import { parseJsonTree } from "../parse/parse-json.ts";
import { parseWith } from "../parse/parse-with.ts";

const mostImports = 5;

/**
 * Sees what was read of each file, and says what is used: that, or what an earlier reading of it
 * brought.
 */
export type Accept = (path: string, result: ConfigResult) => ConfigResult;

/** The layers that were read, the weaker ones first. */
export interface ReadLayers {
  readonly layers: readonly ConfigLayer[];
  /** All paths that were looked at, whether there is something or not. */
  readonly paths: readonly string[];
  /** Problems of no layer's own. */
  readonly problems: readonly ConfigProblem[];
}

interface Reading {
  readonly place: LoadPlace;
  readonly accept: Accept;
  /**
   * Real paths of what was read already: a file counts once, and files that import each other end.
   */
  readonly seen: Set<string>;
  readonly paths: Set<string>;
  readonly problems: ConfigProblem[];
}

/** Reads all files that options name, and what they import. */
export async function readLayers(options: LoadConfigOptions, place: LoadPlace, accept: Accept): Promise<ReadLayers> {
  const reading: Reading = { place, accept, seen: new Set(), paths: new Set(), problems: [] };
  const own = await readFiles(filesOf(options.files ?? "auto", place), reading);
  const extensions: ConfigLayer[] = [];
  for (const { id, root, file } of options.extensions ?? []) {
    const path = resolve(place.cwd, root, file);
    const layer = await readLayer({ path, dialect: "nexo", scope: "extension", required: true }, reading, {
      id,
      root: resolve(place.cwd, root),
    });
    if (layer !== undefined) extensions.push(layer);
  }
  const { paths, problems } = reading;
  return { layers: [...extensions, ...own, ...(options.layers ?? [])], paths: [...paths], problems };
}

function filesOf(files: "auto" | readonly (string | ConfigFile)[], place: LoadPlace): readonly ConfigFile[] {
  if (files !== "auto") return files.map((file) => (typeof file === "string" ? { path: file } : file));
  const all = findConfigs(place);
  // Whoever has one has said in it what is wanted.
  const isOwn = ({ dialect, scope, path }: ConfigLocation): boolean =>
    dialect === "hostside" && scope === "user" && existsSync(path);
  return (all.some(isOwn) ? all.filter(({ dialect }) => dialect === "hostside") : all).map(toFile);
}

function toFile({ path, dialect, scope, folder }: ConfigLocation): ConfigFile {
  // A file called `mcp.json` may be in any.
  const known = dialect === "mcp-json" ? {} : { dialect };
  return { path, scope, ...known, ...(folder === undefined ? {} : { projectFolder: folder }) };
}

async function readFiles(files: readonly ConfigFile[], reading: Reading): Promise<readonly ConfigLayer[]> {
  const layers: ConfigLayer[] = [];
  for (const file of files) layers.push(...(await readWithImports(file, reading, 0)));
  return layers;
}

async function readWithImports(file: ConfigFile, reading: Reading, depth: number): Promise<readonly ConfigLayer[]> {
  const layer = await readLayer(file, reading);
  if (layer === undefined) return [];
  const imported: ConfigLayer[] = [];
  // The first of them is the strongest, and all are weaker than who imports them.
  for (const { from, dialect } of (layer.result.settings.imports ?? []).toReversed()) {
    if (depth === mostImports) {
      const message = `imports more than ${mostImports} files deep are not read`;
      reading.problems.push(fileProblem(layer.file ?? "", { code: "import_failed", message }));
      break;
    }
    const files =
      from === "auto" || isDialectName(from)
        ? locationsOf(from, layer, reading.place)
        : await importedFile(layer, from, { dialect, reading });
    for (const one of files) imported.push(...(await readWithImports(one, reading, depth + 1)));
  }
  return [...imported, layer];
}

// Which of a user's own tools are used, no project says.
function locationsOf(dialect: string, { projectFolder }: ConfigLayer, place: LoadPlace): readonly ConfigFile[] {
  return findConfigs(place)
    .filter((location) => (dialect === "auto" ? location.dialect !== "hostside" : location.dialect === dialect))
    .filter((location) => projectFolder === undefined || location.scope !== "user")
    .map(toFile);
}

// What a project imports is the project's, too.
async function importedFile(
  { file = "", scope, projectFolder }: ConfigLayer,
  from: string,
  { dialect, reading }: { readonly dialect: string | undefined; readonly reading: Reading },
): Promise<readonly ConfigFile[]> {
  const { home } = reading.place;
  const path = /^~[\\/]/.test(from) ? join(home, from.slice(2)) : resolve(dirname(file), from);
  if (projectFolder !== undefined && !isWithin(projectFolder, await realPathOf(path))) {
    const message = "is outside of the project that imports it, and not read";
    reading.problems.push(fileProblem(path, { code: "import_failed", message }));
    return [];
  }
  const known = dialect !== undefined && isDialectName(dialect) ? { dialect } : {};
  return [{ path, scope, required: true, ...known, ...(projectFolder === undefined ? {} : { projectFolder }) }];
}

// That of `cwd` where the file is in it: a file may be in a folder that a tool has there.
function folderOf(path: string, place: LoadPlace): string {
  const folder = findProjectFolder(place);
  return folder !== undefined && isWithin(folder, path) ? folder : dirname(path);
}

async function readLayer(
  file: ConfigFile,
  { place, accept, seen, paths, problems }: Reading,
  extension?: Pick<ConfigExtension, "id" | "root">,
): Promise<ConfigLayer | undefined> {
  const { scope = "command-line", required = scope === "command-line" } = file;
  const path = resolve(place.cwd, file.path);
  paths.add(path);
  const real = await realPathOf(path);
  if (seen.has(real)) return undefined;
  seen.add(real);
  const projectFolder = file.projectFolder ?? (scope === "project" ? folderOf(path, place) : undefined);
  const read = await readFileText(path);
  if ("missing" in read) {
    if (required)
      problems.push(fileProblem(path, { code: "missing_file", message: "is not there", fix: "check its path" }));
    // Whoever keeps earlier ones is to know that this one is over.
    accept(path, { servers: [], settings: {}, problems: [] });
    return undefined;
  }
  const found: ConfigResult =
    "problem" in read
      ? { dialect: file.dialect ?? dialectOfPath(path), servers: [], settings: {}, problems: [read.problem] }
      : await readConfigText(read.text, {
          file: path,
          ...(file.dialect === undefined ? {} : { dialect: file.dialect }),
          projectFolder: await findLocalProject(read.text, path, place),
          extensionId: extension?.id,
        });
  const result = accept(path, found);
  const folder = projectFolder === undefined ? {} : { projectFolder: await realPathOf(projectFolder) };
  const named = scope === "command-line" ? (projectOfFile(path) ?? folderOf(path, place)) : undefined;
  const baseFolder = folder.projectFolder ?? extension?.root ?? named;
  return { scope, result, file: path, ...folder, ...(baseFolder === undefined ? {} : { baseFolder }) };
}

/**
 * The key under which `.claude.json` has what is local to the project of a place: that of the
 * innermost folder from `cwd` up to where the project begins. Its keys are paths as they were
 * written once, with links in them. Other files have no such thing.
 */
async function findLocalProject(text: string, file: string, place: LoadPlace): Promise<string | undefined> {
  if (basename(file) !== ".claude.json") return undefined;
  const { data } = parseWith(parseJsonTree, text, { format: "json" });
  const projects = isConfigMap(data) ? data.get("projects") : undefined;
  if (!isConfigMap(projects)) return undefined;
  const keys = new Map<string, string>();
  for (const key of projects.keys()) keys.set(await realPathOf(key), key);
  const outermost = await realPathOf(findProjectFolder(place) ?? place.cwd);
  for (let folder = await realPathOf(place.cwd); ; folder = dirname(folder)) {
    const key = keys.get(folder);
    if (key !== undefined) return key;
    if (folder === outermost || dirname(folder) === folder) return undefined;
  }
}
