import type { TrustAnswer } from "@hostside/config";
import { renderTable } from "../render/render-table.ts";
import type { Terminal } from "../terminal.ts";
import { showPath } from "./show-server.ts";

/** What was decided about a server, as `--list` shows it. */
export interface ShownRecord {
  readonly name: string;
  readonly answer: TrustAnswer;
  readonly folder: string;
  readonly file?: string | undefined;
  /** ISO 8601. */
  readonly answeredAt: string;
}

/** What was decided, as a table. Pure. */
export function renderRecords(records: readonly ShownRecord[], terminal: Terminal): string {
  if (records.length === 0) return "Nothing was decided about any server of a project.\n";
  const rows = records.map(({ name, answer, folder, file, answeredAt }) => [
    { text: name, style: "name" } as const,
    { text: answer === "trust" ? "trusted" : "refused", style: answer === "trust" ? "good" : "bad" } as const,
    { text: answeredAt.slice(0, 10), style: "dim" } as const,
    showPath(file ?? folder, terminal),
  ]);
  const layout = [{ least: 8 }, {}, { optional: true }, { least: 20 }];
  return `${renderTable(rows, { layout, columns: terminal.columns, paint: terminal.paint }).join("\n")}\n`;
}
