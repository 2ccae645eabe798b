import type { ConfigEdit } from "@hostside/config";
import type { JsonValue } from "@hostside/core";
import type { CommandContext, CommandWork } from "../command-context.ts";
import { exitCodes, usageError } from "../exit-codes.ts";
import { canAsk } from "../opening/asking/terminal-asker.ts";
import {
  askConsent,
  askFiles,
  askPlace,
  canImport,
  chooseImports,
  isPreselected,
  missingImports,
  type ChosenImports,
} from "./choose-imports.ts";
import { changeConfig, readCurrentConfig, valueAt, type CurrentConfig } from "./edit-config.ts";
import { choosePlace, projectPlace, userPlace, type ConfigPlace, type PlaceRequest } from "./choose-place.ts";
import { showPath, surveyConfigs, type SurveyedFile, type SurveyedServer } from "./survey-configs.ts";
import { printJson } from "../render/print.ts";
import { terminalLine } from "../render/render-text.ts";
import { renderTable, type Cell } from "../render/render-table.ts";
import type { Terminal } from "../terminal.ts";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

/** What `init` was given. */
export interface InitArguments extends PlaceRequest {
  readonly yes?: boolean | undefined;
  readonly dryRun?: boolean | undefined;
}

/** What `init` found and did. */
export interface InitReport {
  readonly found: readonly SurveyedFile[];
  /** The `hostside.json`. */
  readonly file: string;
  /** What was written, or would be. */
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
  const isAsked = canAsk(context) && !yes && !dryRun;
  const found = await surveyConfigs(terminal);
  if (options.json !== true) terminal.out(renderSurvey(found, terminal));
  const place = await findPlace(args, context, isAsked ? found : []);
  if (place === undefined) return cancel(context);
  const offered = found.filter((one) => canImport(one, place));
  if (offered.length === 0)
    return report({ found, file: place.path, imports: [], change: "none", notes: [], dryRun }, context);
  if (!isAsked && !yes && !dryRun) {
    throw usageError(
      "nothing was written: there is nobody here to ask",
      "hostside init --yes takes all that is known for sure, and --dry-run shows what that would be",
    );
  }
  const preselected = offered.filter(isPreselected);
  const chosen = isAsked ? await askFiles(offered, preselected, terminal) : preselected;
  if (chosen === undefined) return cancel(context);
  const current = await readCurrentConfig(place);
  const there = importsOf(current);
  const wanted = chooseImports(offered, chosen, { place, home: terminal.home, isFirst: there.length === 0 });
  const missing = missingImports(wanted.imports, there);
  const isKept = isAsked && current.exists && missing.length > 0;
  if (isKept && !(await askConsent(missing, place, terminal))) return cancel(context);
  return write({ found, place, wanted, dryRun }, context);
};

async function findPlace(
  args: InitArguments,
  context: CommandContext,
  found: readonly SurveyedFile[],
): Promise<ConfigPlace | undefined> {
  const { terminal, options } = context;
  const isSaid = args.user === true || args.project === true || options.config !== undefined;
  // Only where there is something to choose between.
  if (isSaid || terminal.cwd === terminal.home) return choosePlace(context, args);
  const project = projectPlace(terminal);
  if (!found.some((one) => canImport(one, project))) return userPlace(terminal);
  return askPlace([userPlace(terminal), project], terminal);
}

interface Writing {
  readonly found: readonly SurveyedFile[];
  readonly place: ConfigPlace;
  readonly wanted: ChosenImports;
  readonly dryRun: boolean;
}

async function write({ found, place, wanted, dryRun }: Writing, context: CommandContext): Promise<number> {
  const { change, file, isNew } = await changeConfig(context, {
    place,
    dryRun,
    plan: async (current) => {
      const there = importsOf(current);
      const imports = missingImports(wanted.imports, there);
      const start = current.exists ? [] : schemaEdits(place);
      const added: readonly ConfigEdit[] =
        there.length === 0
          ? [{ path: ["imports"], value: imports }]
          : imports.map((value, index) => ({ path: ["imports", there.length + index], value }));
      return { edits: imports.length === 0 ? start : [...start, ...added], imports };
    },
  });
  const { imports } = change;
  const done = isNew ? "created" : imports.length > 0 ? "added" : "unchanged";
  return report({ found, file, imports, change: done, notes: wanted.notes, dryRun }, context);
}

function importsOf({ parsed, result }: CurrentConfig): readonly JsonValue[] {
  const written = valueAt(parsed.data, ["imports"]);
  if (!Array.isArray(written)) return [];
  // As many as there are, so that an index is one of the list.
  return written.map((one, index) =>
    typeof one === "string" ? one : (result.settings.imports?.[index]?.from ?? null),
  );
}

function report(done: InitReport, { terminal, options }: CommandContext): number {
  const { file, imports, change, notes, dryRun } = done;
  if (options.json === true) {
    printJson(terminal, done);
    return exitCodes.pass;
  }
  const shown = terminal.paint("name", showPath(file, terminal));
  const list = imports.map((one) => JSON.stringify(one)).join(", ");
  const would = dryRun ? "would be " : "";
  const lines: Readonly<Record<InitReport["change"], string>> = {
    none: "There is nothing to import.\n",
    unchanged: `${shown} imports all of that already.\n`,
    created: `${shown} ${would}written: it imports ${list}.\n`,
    added: `${shown} ${dryRun ? "would import" : "imports"} ${list} as well.\n`,
  };
  terminal.out(lines[change]);
  for (const note of notes) terminal.err(`${terminal.paintErr("warn", "note:")} ${note}\n`);
  const next =
    change === "none"
      ? ["hostside add NAME -- COMMAND   adds a server"]
      : [
          "hostside list     connects to the servers, and shows their tools",
          "hostside doctor   says what is wrong with each, and what mends it",
        ];
  if (!dryRun) terminal.out(`\nNext:\n${next.map((line) => `  ${line}\n`).join("")}`);
  return exitCodes.pass;
}

function cancel({ terminal }: CommandContext): number {
  terminal.err("Nothing was written.\n");
  return exitCodes.incomplete;
}

const mostServers = 30;

/** What was found, as a table: a line for each file, and one for each of its servers. Pure. */
function renderSurvey(found: readonly SurveyedFile[], terminal: Terminal): string {
  if (found.length === 0) return "No configuration of any tool that hostside knows is here.\n\n";
  const { columns, paint } = terminal;
  const lines = found.flatMap((one) => [
    `${paint("bold", one.tool)}  ${terminalLine(showPath(one.file, terminal))}${trouble(one, terminal)}`,
    ...renderTable(one.servers.slice(0, mostServers).map(toRow), { layout, columns, paint, indent: "  " }),
    ...(one.servers.length > mostServers ? [`  and ${one.servers.length - mostServers} more`] : []),
  ]);
  return `${lines.join("\n")}\n\n`;
}

const layout = [{ least: 12 }, { least: 20 }, {}];

function toRow({ name, starts, disabled }: SurveyedServer): readonly Cell[] {
  return [
    { text: name, style: disabled ? "dim" : "name" },
    { text: starts, style: "dim" },
    { text: disabled ? "disabled" : "", style: "dim" },
  ];
}

function trouble({ servers, errors, warnings, certain }: SurveyedFile, { paint }: Terminal): string {
  const parts = [
    ...(servers.length === 0 ? ["no servers"] : []),
    ...(errors > 0 ? [`${errors} ${errors === 1 ? "error" : "errors"}`] : []),
    ...(warnings > 0 ? [`${warnings} ${warnings === 1 ? "warning" : "warnings"}`] : []),
    ...(certain ? [] : ["place not documented"]),
  ];
  if (parts.length === 0) return "";
  return `  ${paint(errors > 0 ? "bad" : warnings > 0 ? "warn" : "dim", parts.join(", "))}`;
}

const installed = "node_modules/@hostside/config/hostside.schema.json";

/**
 * `$schema` of a new file, for editors: the one that is installed beside it, as a path. Where none
 * is, there is none: a copy would grow old.
 */
function schemaEdits({ path }: ConfigPlace): readonly ConfigEdit[] {
  return existsSync(join(dirname(path), installed)) ? [{ path: ["$schema"], value: `./${installed}` }] : [];
}
