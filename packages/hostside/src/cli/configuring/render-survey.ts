import { terminalLine } from "../render/one-line.ts";
import { renderTable, type Cell } from "../render/render-table.ts";
import type { Terminal } from "../terminal.ts";
import { showPath } from "./show-server.ts";
import type { SurveyedFile, SurveyedServer } from "./survey-configs.ts";

const mostServers = 30;

/** What was found, as a table: a line for each file, and one for each of its servers. Pure. */
export function renderSurvey(found: readonly SurveyedFile[], terminal: Terminal): string {
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
