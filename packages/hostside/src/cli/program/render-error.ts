import { inspect } from "node:util";
import { isHostsideError, type HostsideError } from "@hostside/core";
import type { CommandContext } from "../command-context.ts";
import { cleanLines, terminalLine } from "../render/one-line.ts";
import type { Terminal } from "../terminal.ts";
import { reportError, type ErrorReport } from "./error-report.ts";
import { printJson } from "../render/print.ts";

/**
 * Says what went wrong: on stderr for people, and with `--json` as the one document on stdout, too.
 */
export function renderError(error: unknown, { terminal, options }: CommandContext): void {
  const report = reportError(error, options.typed);
  if (options.json === true) printJson(terminal, { error: report });
  else terminal.err(`${linesOfError(error, report, terminal).join("\n")}\n`);
  if (options.verbose === true) terminal.err(`${cleanLines(inspect(error)).join("\n")}\n`);
}

function linesOfError(
  error: unknown,
  report: ErrorReport,
  { paintErr }: Pick<Terminal, "paintErr">,
): readonly string[] {
  const { code, message, hint } = report;
  const isCoded = isHostsideError(error);
  const [first = "", ...rest] = cleanLines(message);
  const lines = [`${paintErr("bad", code === "bug" ? "bug:" : "error:")} ${first}`, ...rest.map((line) => `  ${line}`)];
  if (isCoded) {
    lines[0] += paintErr("dim", ` [${code}]`);
    lines.push(...evidenceOf(error).map((line) => `  ${paintErr("dim", line)}`));
  }
  if (hint !== undefined) lines.push(`${paintErr("name", "hint:")} ${terminalLine(hint)}`);
  return lines;
}

// What the message does not say itself.
function evidenceOf({ details, rawMessage }: HostsideError): readonly string[] {
  const { stderrTail, violations = [], failures = [], excerpt } = details;
  const lines = violations
    .filter(({ message }) => !rawMessage.includes(message))
    .map(({ path, message }) => terminalLine(`${path || "/"}: ${message}`));
  lines.push(
    ...failures.map(({ serverId, rawMessage: why, code }) => terminalLine(`${serverId ?? ""}: ${why} [${code}]`)),
  );
  for (const text of [excerpt, stderrTail]) {
    if (text === undefined || rawMessage.includes(text.trim())) continue;
    lines.push(...cleanLines(text).map((line) => `| ${line}`));
  }
  return lines;
}
