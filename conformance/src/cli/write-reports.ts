import { readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import type { RunReport } from "../engine/run-report.ts";
import { toBadge, toJson } from "../report/json-report.ts";
import { toHtml } from "../report/html-report.ts";
import { toJunit } from "../report/junit-report.ts";
import { toMarkdown } from "../report/markdown-report.ts";
import { toSarif } from "../report/sarif-report.ts";
import { formats, type OptionValues } from "./command.ts";
import { messageOf } from "./command-io.ts";

const views: Record<(typeof formats)[number], (report: RunReport) => string> = {
  json: toJson,
  junit: toJunit,
  sarif: (report) => toSarif(report),
  html: toHtml,
  markdown: toMarkdown,
  badge: toBadge,
};

/**
 * What keeps reports from being written, as a mistake of the command line; asked before a run that
 * would be for nothing.
 */
export async function reportMistake(values: OptionValues): Promise<string | undefined> {
  for (const format of formats) {
    const path = values[format];
    if (path === undefined) continue;
    const folder = dirname(path);
    try {
      if (!(await stat(folder)).isDirectory()) return `--${format} ${path}: ENOTDIR, ${folder} is no folder`;
    } catch (error) {
      const isAbsent = error instanceof Error && "code" in error && error.code === "ENOENT";
      return `--${format} ${isAbsent ? `${path}: ENOENT, there is no folder ${folder}` : messageOf(error)}`;
    }
  }
  return undefined;
}

/**
 * Writes each report that was asked for, whole or not at all. Resolves with what could not be
 * written.
 */
export async function writeReports(report: RunReport, values: OptionValues): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const format of formats) {
    const path = values[format];
    if (path === undefined) continue;
    try {
      await writeWholeFile(path, views[format](report));
    } catch (error) {
      problems.push(`--${format}: ${messageOf(error)}`);
    }
  }
  return problems;
}

/** Writes a file so that a reader sees the old one or the whole new one, never half of it. */
async function writeWholeFile(path: string, text: string): Promise<void> {
  const draft = `${path}.${process.pid}.tmp`;
  try {
    await writeFile(draft, text);
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

/** What a file says, or, behind its `name`, what is wrong with it. */
export async function readWith<T>(path: string, parse: (text: string) => T, name: string): Promise<T | string> {
  try {
    return parse(await readFile(path, "utf8"));
  } catch (error) {
    return `${name}: ${messageOf(error)}`;
  }
}
