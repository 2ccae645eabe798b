import { relative, dirname } from "node:path";
import { detectDialect } from "@hostside/config";
import type { JsonValue } from "@hostside/core";
import type { Terminal } from "../terminal.ts";
import type { ConfigPlace } from "./choose-place.ts";
import { showPath, type SurveyedFile } from "./survey-configs.ts";
import { confirm, isCancel, multiselect, select } from "@clack/prompts";
import { terminalLine } from "../render/render-text.ts";

/** What `imports` says for the files that somebody chose, and what of them cannot be said. */
export interface ChosenImports {
  readonly imports: readonly JsonValue[];
  readonly notes: readonly string[];
}

/** Whether a file can be imported there: what a project imports is within it. */
export function canImport({ file, scope }: SurveyedFile, place: ConfigPlace): boolean {
  if (place.scope !== "project") return true;
  const path = relative(dirname(place.path), file);
  return scope === "project" && path !== "" && !path.startsWith("..");
}

/** Whether a file is worth importing without a question. */
export function isPreselected({ certain, servers }: SurveyedFile): boolean {
  return certain && servers.length > 0;
}

interface Choosing extends Pick<Terminal, "home"> {
  readonly place: ConfigPlace;
  /** Whether there are no imports yet. */
  readonly isFirst: boolean;
}

/**
 * The imports for what was chosen among what was found, the stronger ones first. For a user who
 * left nothing out: all of all tools, as without a file. Else a dialect, which brings the files of
 * any project as well, where nothing of it was left out; else the user's own files of it, by path.
 * A file of a project is never imported by its path there: its servers would start without trust.
 * Pure.
 */
export function chooseImports(
  found: readonly SurveyedFile[],
  chosen: readonly SurveyedFile[],
  { place, home, isFirst }: Choosing,
): ChosenImports {
  // Of two files of one name the later one wins, and of two imports the first.
  const ordered = chosen.toReversed();
  if (place.scope === "project")
    return { imports: ordered.map((one) => pathImport(one, dirname(place.path))), notes: [] };
  const isAll = found.every((one) => chosen.includes(one) || one.servers.length === 0);
  if (isAll && isFirst && chosen.length > 0) {
    return { imports: ["auto"], notes: ['"auto" is all files of all tools, also of those that you set up later'] };
  }
  const imports: JsonValue[] = [];
  const notes: string[] = [];
  for (const dialect of new Set(ordered.map((one) => one.dialect))) {
    const left = found.filter((one) => one.dialect === dialect && !chosen.includes(one) && one.servers.length > 0);
    if (left.length === 0) {
      imports.push(dialect);
      continue;
    }
    const mine = ordered.filter((one) => one.dialect === dialect);
    for (const one of mine) {
      if (one.scope === "user") imports.push({ from: homePath(one.file, home), dialect });
      else
        notes.push(`${one.file} is not imported: files of projects come with all files of ${one.tool}, or not at all`);
    }
  }
  return { imports, notes };
}

/** Those of them that a file does not have yet. Pure. */
export function missingImports(wanted: readonly JsonValue[], there: readonly JsonValue[]): readonly JsonValue[] {
  const fromOf = (one: JsonValue): unknown =>
    typeof one === "object" && one !== null && !Array.isArray(one) ? Reflect.get(one, "from") : one;
  const known = new Set(there.map(fromOf));
  return known.has("auto") ? [] : wanted.filter((one) => !known.has(fromOf(one)));
}

function pathImport({ file, dialect }: SurveyedFile, folder: string): JsonValue {
  const from = `./${relative(folder, file).replaceAll("\\", "/")}`;
  // What `mcp.json` is, what is in it says.
  return dialect === "mcp-json" || detectDialect(file, undefined) === dialect ? from : { from, dialect };
}

function homePath(file: string, home: string): string {
  const path = relative(home, file);
  return path.startsWith("..") ? file : `~/${path.replaceAll("\\", "/")}`;
}

/** Asks which files are imported; `undefined`: somebody wanted no more of it. */
export async function askFiles(
  offered: readonly SurveyedFile[],
  preselected: readonly SurveyedFile[],
  terminal: Terminal,
): Promise<readonly SurveyedFile[] | undefined> {
  const answer = await multiselect({
    message: "Which of them shall hostside use?",
    options: offered.map((one) => ({
      value: one.file,
      label: `${one.tool}  ${terminalLine(showPath(one.file, terminal))}`,
      hint: `${one.servers.length} ${one.servers.length === 1 ? "server" : "servers"}${one.certain ? "" : ", not documented by the tool"}`,
    })),
    initialValues: preselected.map(({ file }) => file),
    required: false,
    ...streams(terminal),
  });
  return isCancel(answer) ? undefined : offered.filter(({ file }) => answer.includes(file));
}

/** Asks which `hostside.json` is written. */
export async function askPlace(places: readonly ConfigPlace[], terminal: Terminal): Promise<ConfigPlace | undefined> {
  const answer = await select({
    message: "Where shall that be written?",
    options: places.map(({ path, scope }) => ({
      value: path,
      label: terminalLine(showPath(path, terminal)),
      hint: scope === "user" ? "for you, everywhere" : "for this project, and whoever works on it",
    })),
    ...streams(terminal),
  });
  return isCancel(answer) ? undefined : places.find(({ path }) => path === answer);
}

/** Asks whether a file that is there already is added to. */
export async function askConsent(
  missing: readonly JsonValue[],
  { path }: ConfigPlace,
  terminal: Terminal,
): Promise<boolean> {
  const list = missing.map((one) => JSON.stringify(one)).join(", ");
  const answer = await confirm({
    message: `Add ${list} to the imports of ${terminalLine(showPath(path, terminal))}?`,
    ...streams(terminal),
  });
  return answer === true;
}

// Questions are no results.
function streams({ stdin, stderr, signal }: Terminal) {
  return { input: stdin, output: stderr, signal };
}
