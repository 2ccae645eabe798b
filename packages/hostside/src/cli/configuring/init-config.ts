import { existsSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { detectDialect, type ConfigEdit, type DialectName, type ServerDraft } from "@hostside/config";
import { findConfigFiles, findProjectFolder, readConfigFile, type ConfigLocation } from "@hostside/config/node";
import { redactSpec, redactUrl, type JsonValue } from "@hostside/core";
import { isJsonObject } from "@hostside/core/implement";
import type { CommandContext, CommandWork } from "../command-context.ts";
import { exitCodes, usageError } from "../exit-codes.ts";
import { canAsk, terminalAsker } from "../opening/asking/terminal-asker.ts";
import { formatCount, printNotes, printResult, shortPath } from "../render/print.ts";
import { renderTable, type Cell } from "../render/render-table.ts";
import { terminalLine } from "../render/render-text.ts";
import type { Terminal } from "../terminal.ts";
import { choosePlace, type ConfigPlace, type PlaceRequest } from "./choose-place.ts";
import { changeConfig, valueAt, type CurrentConfig } from "./edit-config.ts";

/** Arguments of `init`. */
export interface InitArguments extends PlaceRequest {
  readonly yes?: boolean | undefined;
  readonly dryRun?: boolean | undefined;
}

/** The report of `init`: the shape that `--json` prints. */
interface InitReport {
  readonly found: readonly SurveyedFile[];
  /** The `hostside.json`. */
  readonly file: string;
  /** The imports that were written, or would be. */
  readonly imports: readonly JsonValue[];
  readonly change: "created" | "added" | "unchanged" | "none";
  readonly notes: readonly string[];
  readonly dryRun: boolean;
}

/**
 * Shows the configurations that somebody has, and writes a `hostside.json` that imports those that
 * they choose. Nothing else is written.
 */
export const initConfig: CommandWork<InitArguments> = async (args, context) => {
  const { terminal, options } = context;
  const { yes = false, dryRun = false } = args;
  const isSure = yes || dryRun;
  const place = choosePlace(context, args);
  const found = await surveyConfigs(terminal);
  if (options.json !== true) terminal.out(renderSurvey(found, terminal));
  const offered = found.filter((one) => canImport(one, place));
  const known = { found, file: place.path, dryRun };
  if (offered.length === 0) return report({ ...known, imports: [], change: "none", notes: [] }, context);
  if (!isSure && !canAsk(context)) {
    throw usageError(
      "nothing was written: there is nobody here to ask",
      "hostside init --yes takes all that is known for sure, and --dry-run shows what that would be",
    );
  }
  const certain = offered.filter((one) => one.certain && one.servers.length > 0);
  const chosen = isSure ? certain : await askFiles(offered, certain, terminal);
  if (chosen === undefined) {
    terminal.err("Nothing was written.\n");
    return exitCodes.incomplete;
  }
  const { change, isNew } = await changeConfig(context, {
    place,
    dryRun,
    plan: (current) => {
      const there = importsOf(current);
      const { imports, notes } = chooseImports(offered, chosen, { place, home: terminal.home, there });
      const added: readonly ConfigEdit[] =
        there.length === 0
          ? [{ path: ["imports"], value: imports }]
          : imports.map((value, index) => ({ path: ["imports", there.length + index], value }));
      const start = current.text === undefined ? schemaEdits(place) : [];
      return { edits: imports.length === 0 ? start : [...start, ...added], imports, notes };
    },
  });
  const { imports, notes } = change;
  const done = isNew ? "created" : imports.length > 0 ? "added" : "unchanged";
  return report({ ...known, imports, change: done, notes }, context);
};

/** Tells whether a file can be imported there: a project imports files within it alone. */
function canImport({ file, scope }: SurveyedFile, place: ConfigPlace): boolean {
  if (place.scope !== "project") return true;
  const path = relative(dirname(place.path), file);
  return scope === "project" && path !== "" && !path.startsWith("..");
}

/** Asks which files are imported. `undefined`: the question was cancelled. */
function askFiles(
  offered: readonly SurveyedFile[],
  preselected: readonly SurveyedFile[],
  terminal: Terminal,
): Promise<readonly SurveyedFile[] | undefined> {
  const choices = offered.map(({ file, tool, servers, certain }) => ({
    value: file,
    label: `${tool}  ${shortPath(file, terminal)}`,
    hint: `${formatCount(servers.length, "server")}${certain ? "" : ", not documented by the tool"}`,
  }));
  return terminalAsker(terminal).alone(async (ask) => {
    const initial = preselected.map(({ file }) => file);
    const answer = await ask.chooseSome("Which of them shall hostside use?", choices, initial);
    return answer && offered.filter(({ file }) => answer.includes(file));
  });
}

interface Choosing {
  readonly place: ConfigPlace;
  readonly home: string;
  /** Imports that the file has. */
  readonly there: readonly JsonValue[];
}

/**
 * The imports for the chosen ones among the files that were found, the stronger ones first, without
 * those that are there. If a user left nothing out, these are all files of all tools, as without a
 * file. Else a dialect, which brings the files of any project as well, where nothing of it was left
 * out; else the user's own files of it, by path. A file of a project is never imported by its path
 * there: its servers would start without trust. Pure.
 */
function chooseImports(
  found: readonly SurveyedFile[],
  chosen: readonly SurveyedFile[],
  { place, home, there }: Choosing,
): { readonly imports: readonly JsonValue[]; readonly notes: readonly string[] } {
  const isThere = (from: JsonValue): boolean => there.includes("auto") || there.includes(from);
  // Of two files of one name the later one wins, and of two imports the first.
  const ordered = chosen.toReversed();
  if (place.scope === "project") {
    const imports = ordered.map((one) => pathImport(one, dirname(place.path)));
    return { imports: imports.filter((one) => !isThere(isJsonObject(one) ? (one["from"] ?? null) : one)), notes: [] };
  }
  const left = found.filter((one) => !chosen.includes(one) && one.servers.length > 0);
  if (left.length === 0 && there.length === 0 && chosen.length > 0)
    return { imports: ["auto"], notes: ['"auto" is all files of all tools, also of those that you set up later'] };
  const imports = new Set<JsonValue>();
  const notes: string[] = [];
  for (const { dialect, file, scope, tool } of ordered) {
    const path = relative(home, file);
    const from = path.startsWith("..") ? file : `~/${path.replaceAll("\\", "/")}`;
    if (left.every((one) => one.dialect !== dialect)) {
      if (!isThere(dialect)) imports.add(dialect);
    } else if (scope !== "user") {
      notes.push(`${file} is not imported: files of projects come with all files of ${tool}, or not at all`);
    } else if (!isThere(from)) imports.add({ from, dialect });
  }
  return { imports: [...imports], notes };
}

function pathImport({ file, dialect }: SurveyedFile, folder: string): JsonValue {
  const from = `./${relative(folder, file).replaceAll("\\", "/")}`;
  // The content of an `mcp.json` says which dialect it is in.
  return dialect === "mcp-json" || detectDialect(file, undefined) === dialect ? from : { from, dialect };
}

/** The sources of a file's imports, as many as there are. */
function importsOf({ parsed, result }: CurrentConfig): readonly JsonValue[] {
  const written = valueAt(parsed.data, ["imports"]);
  if (!Array.isArray(written)) return [];
  return written.map((one, index) =>
    typeof one === "string" ? one : (result.settings.imports?.[index]?.from ?? null),
  );
}

const installed = "node_modules/@hostside/config/hostside.schema.json";

/**
 * `$schema` of a new file, for editors: the one that is installed beside it, as a path. Without
 * one there is none: a copy would grow old.
 */
function schemaEdits({ path }: ConfigPlace): readonly ConfigEdit[] {
  return existsSync(join(dirname(path), installed)) ? [{ path: ["$schema"], value: `./${installed}` }] : [];
}

function report(done: InitReport, context: CommandContext): number {
  const { file, imports, change, notes, dryRun } = done;
  const { terminal, options } = context;
  if (options.json !== true) printNotes(terminal, notes);
  return printResult(context, done, () => {
    const shown = terminal.paint("name", shortPath(file, terminal));
    const list = imports.map((one) => JSON.stringify(one)).join(", ");
    const lines: Readonly<Record<InitReport["change"], string>> = {
      none: "There is nothing to import.",
      unchanged: `${shown} imports all of that already.`,
      created: `${shown} ${dryRun ? "would be " : ""}written: it imports ${list}.`,
      added: `${shown} ${dryRun ? "would import" : "imports"} ${list} as well.`,
    };
    const next =
      change === "none"
        ? ["  hostside add NAME -- COMMAND   adds a server"]
        : [
            "  hostside list     connects to the servers, and shows their tools",
            "  hostside doctor   says what is wrong with each, and what mends it",
          ];
    return [lines[change], ...(dryRun ? [] : ["", "Next:", ...next])];
  });
}

const mostServers = 30;
const layout = [{ least: 12 }, { least: 20 }, {}];

/** Renders what was found: a line for each file, and one for each of its servers. Pure. */
function renderSurvey(found: readonly SurveyedFile[], terminal: Terminal): string {
  if (found.length === 0) return "No configuration of any tool that hostside knows is here.\n\n";
  const { columns, paint } = terminal;
  const lines = found.flatMap((one) => [
    `${paint("bold", one.tool)}  ${terminalLine(shortPath(one.file, terminal))}${trouble(one, terminal)}`,
    ...renderTable(one.servers.slice(0, mostServers).map(toRow), { layout, columns, paint, indent: "  " }),
    ...(one.servers.length > mostServers ? [`  and ${one.servers.length - mostServers} more`] : []),
  ]);
  return `${lines.join("\n")}\n\n`;
}

function toRow({ name, starts, disabled }: SurveyedServer): readonly Cell[] {
  return [
    { text: name, style: disabled ? "dim" : "name" },
    { text: starts, style: "dim" },
    { text: disabled ? "disabled" : "", style: "dim" },
  ];
}

function trouble({ servers, errors, warnings, certain }: SurveyedFile, { paint }: Terminal): string {
  const parts = [
    servers.length === 0 && "no servers",
    errors > 0 && formatCount(errors, "error"),
    warnings > 0 && formatCount(warnings, "warning"),
    !certain && "place not documented",
  ].filter((part) => part !== false);
  if (parts.length === 0) return "";
  return `  ${paint(errors > 0 ? "bad" : warnings > 0 ? "warn" : "dim", parts.join(", "))}`;
}

/** A configuration file of a tool, and what is in it. */
interface SurveyedFile {
  readonly tool: string;
  readonly dialect: DialectName;
  readonly file: string;
  readonly scope: ConfigLocation["scope"];
  /** The tool itself says that its file is there. */
  readonly certain: boolean;
  readonly servers: readonly SurveyedServer[];
  readonly errors: number;
  readonly warnings: number;
}

/** A server of a file. */
interface SurveyedServer {
  readonly name: string;
  /** The command line that starts it, or its URL; without secrets. */
  readonly starts: string;
  readonly disabled: boolean;
}

/**
 * Looks at every configuration of another tool that is here; the stronger ones last. Nothing is
 * started, and nothing is put into entries.
 */
async function surveyConfigs({ env, home, platform, cwd }: Terminal): Promise<readonly SurveyedFile[]> {
  const place = { env, home, platform, cwd };
  const projectFolder = findProjectFolder(place);
  const found = findConfigFiles(place).filter(({ dialect }) => dialect !== "hostside");
  return Promise.all(
    found.map(async ({ path, dialect, tool, scope, certain }): Promise<SurveyedFile> => {
      // A file called `mcp.json` may be in any dialect.
      const known = dialect === "mcp-json" ? {} : { dialect };
      const { servers, problems } = await readConfigFile(path, { ...known, projectFolder });
      const errors = problems.filter(({ severity }) => severity === "error").length;
      return {
        tool: tool === "any" ? "mcp.json" : tool,
        dialect,
        file: path,
        scope,
        certain,
        servers: servers.map(({ id: name, draft }) => ({
          name,
          starts: showStart(draft),
          disabled: draft.disabled === true,
        })),
        errors,
        warnings: problems.length - errors,
      };
    }),
  );
}

function showStart(draft: ServerDraft): string {
  const shown = redactSpec(draft);
  if (shown.command !== undefined) return [shown.command, ...(shown.args ?? [])].join(" ");
  const { url = "" } = shown;
  // With references in it, it may not be a URL yet.
  return URL.canParse(url) ? redactUrl(url) : "a URL";
}
