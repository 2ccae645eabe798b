import { formatPath, readConfig, type ConfigEdit } from "@hostside/config";
import { redacted, redactSpec, type JsonValue } from "@hostside/core";
import type { CommandContext } from "../command-context.ts";
import { exitCodes } from "../exit-codes.ts";
import { terminalLine } from "../render/one-line.ts";
import { showPath } from "./show-server.ts";
import { printJson } from "../render/print.ts";

/** What a command did to one server, or would do. */
export interface ConfiguredServerChange {
  readonly file: string;
  readonly name: string;
  readonly change: "added" | "replaced" | "removed" | "enabled" | "disabled" | "unchanged";
}

/** What a command that edits did. */
export interface ChangeReport {
  readonly changes: readonly ConfiguredServerChange[];
  /** Edits of files, with no secret in them. */
  readonly edits: readonly ShownEdit[];
  /** What a person may want to know, as lines. */
  readonly notes: readonly string[];
  /** `true`: nothing was written. */
  readonly dryRun: boolean;
}

/** An edit as it is shown. */
export interface ShownEdit {
  readonly file: string;
  readonly path: string;
  /** Absent: it is removed. */
  readonly value?: JsonValue | undefined;
}

/** Edits without the secrets of the entries in them. Pure. */
export function showEdits(file: string, edits: readonly ConfigEdit[]): readonly ShownEdit[] {
  return edits.map(({ path, value }) => ({
    file,
    path: formatPath(path),
    ...(value !== undefined && { value: path.length === 2 && path[0] === "servers" ? redactEntry(value) : value }),
  }));
}

function redactEntry(entry: JsonValue): JsonValue {
  const [server] = readConfig({ servers: { server: entry } }, { dialect: "hostside" }).servers;
  if (server === undefined) return "an entry";
  const { id: _id, ...spec } = redactSpec(server.draft);
  const { oauth, ...extras } = server.extras;
  const shown = oauth?.clientSecret === undefined ? oauth : { ...oauth, clientSecret: redacted };
  return JSON.parse(JSON.stringify({ ...spec, ...extras, oauth: shown })) as JsonValue;
}

/** Says what was done: as a line for each server, or as one document. */
export function reportChanges(report: ChangeReport, { terminal, options }: CommandContext): number {
  if (options.json === true) {
    printJson(terminal, report);
    return exitCodes.pass;
  }
  const { changes, edits, notes, dryRun } = report;
  for (const { file, name, change } of changes) {
    const where = terminal.paint("dim", showPath(file, terminal));
    const what = dryRun && change !== "unchanged" ? `would be ${change}` : change;
    terminal.out(`${terminal.paint("name", terminalLine(name))} ${what}${preposition(change)}${where}\n`);
  }
  if (dryRun) for (const edit of edits) terminal.out(`${renderEdit(edit)}\n`);
  for (const note of notes) terminal.err(`${terminal.paintErr("warn", "note:")} ${note}\n`);
  return exitCodes.pass;
}

function preposition(change: ConfiguredServerChange["change"]): string {
  return { added: " to ", removed: " from ", replaced: " in ", enabled: " in ", disabled: " in ", unchanged: " in " }[
    change
  ];
}

function renderEdit({ file, path, value }: ShownEdit): string {
  return value === undefined ? `- ${file}: ${path}` : `+ ${file}: ${path} = ${JSON.stringify(value, undefined, 2)}`;
}
