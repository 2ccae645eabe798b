import { isKnownContent, cleanText, type ToolOutcome, type ToolDefinition } from "@hostside/core";
import { present, type Omission, type PresentedBlock } from "@hostside/results";
import { mkdir, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { usageError, exitCodes } from "../exit-codes.ts";
import type { CommandContext } from "../command-context.ts";
import { terminalLine } from "../render/render-text.ts";
import { renderJson, printJson } from "../render/print.ts";

/** A text of a result, for people. */
export interface ReportedText {
  readonly kind: "text";
  readonly text: string;
}

/** Structured content that no text says. */
export interface ReportedData {
  readonly kind: "data";
  readonly value: unknown;
}

/** Bytes of a result, to be saved. */
export interface ReportedFile {
  readonly kind: "file";
  /** Lower case, without parameters; a server's word. */
  readonly mimeType: string;
  readonly data: Uint8Array;
}

/** What is not shown, in words of this host. */
export interface ReportedNotice {
  readonly kind: "notice";
  readonly text: string;
}

/** A result as a person gets it, in its own order. */
export interface OutcomeReport {
  readonly parts: readonly (ReportedText | ReportedData | ReportedFile | ReportedNotice)[];
  readonly isError: boolean;
}

const mebibyte = 1024 * 1024;
const families = ["application", "audio", "font", "image", "message", "model", "multipart", "text", "video"];

/**
 * What a model would get of a result, without the bounds of a model: every text whole, structured
 * content where no text says the same, all bytes. Pure; never throws, whatever the server sent.
 */
function reportOutcome(outcome: ToolOutcome): OutcomeReport {
  const { blocks, isError, omitted } = present(outcome, "blocks", {
    maxTextBytes: 1024 * mebibyte,
    maxBlocks: 100_000,
    media: { types: families.map((family) => `${family}/*`), maxItemBytes: 1024 * mebibyte, maxItems: 10_000 },
  });
  const parts = blocks.map((block) => reportBlock(block));
  // A model must not be shown what is not what it says; a person may want to look at it.
  return { parts: [...parts, ...omitted.flatMap((one) => rescue(one, outcome))], isError };
}

function reportBlock(block: PresentedBlock): OutcomeReport["parts"][number] {
  if (block.type !== "text") return { kind: "file", mimeType: block.mimeType, data: Buffer.from(block.data, "base64") };
  const { part, text } = block;
  if (part === "notice" || part === "error") return { kind: "notice", text };
  return part === "structured" ? { kind: "data", value: JSON.parse(text) as unknown } : { kind: "text", text };
}

function rescue({ reason, piece }: Omission, { content }: ToolOutcome): readonly ReportedFile[] {
  if ((reason !== "wrong-type" && reason !== "type-not-allowed") || piece?.part !== "block") return [];
  const block = content[piece.index];
  if (block === undefined || !isKnownContent(block)) return [];
  const text = block.type === "resource" ? block.resource.blob : "data" in block ? block.data : undefined;
  if (typeof text !== "string") return [];
  return [{ kind: "file", mimeType: "application/octet-stream", data: Buffer.from(text, "base64") }];
}

const endings: ReadonlyMap<string, string> = new Map([
  ["image/png", "png"],
  ["image/jpeg", "jpg"],
  ["image/gif", "gif"],
  ["image/webp", "webp"],
  ["image/svg+xml", "svg"],
  ["audio/wav", "wav"],
  ["audio/x-wav", "wav"],
  ["audio/mpeg", "mp3"],
  ["audio/mp3", "mp3"],
  ["audio/ogg", "ogg"],
  ["audio/flac", "flac"],
  ["audio/mp4", "m4a"],
  ["video/mp4", "mp4"],
  ["video/webm", "webm"],
  ["application/pdf", "pdf"],
  ["application/json", "json"],
  ["application/zip", "zip"],
  ["application/gzip", "gz"],
  ["text/plain", "txt"],
  ["text/markdown", "md"],
  ["text/csv", "csv"],
  ["text/html", "html"],
]);

const mostTries = 100_000;

/** Where files go. */
export interface SaveTarget {
  /** Absolute. Made when the first file comes. */
  readonly folder: string;
  /**
   * What files are called, before their number; of a tool's local name nothing but letters, digits,
   * `_` and `-` is taken.
   */
  readonly name: string;
}

/**
 * Saves bytes under a name that is free, and resolves to the path. Nothing of it comes from what
 * the server calls the file, its ending is one of a list, and no file is ever written over. Only
 * its user may read it. Rejects with a usage error for a folder that cannot be written to.
 */
async function saveFile({ data, mimeType }: Omit<ReportedFile, "kind">, target: SaveTarget): Promise<string> {
  const { folder } = target;
  const name = target.name.replaceAll(/[^A-Za-z0-9_-]/g, "_").slice(0, 64) || "result";
  const ending = endings.get(mimeType) ?? "bin";
  try {
    await mkdir(folder, { recursive: true });
    for (let number = 1; number <= mostTries; number += 1) {
      const file = join(folder, `${name}-${number}.${ending}`);
      if (await writeNew(file, data)) return file;
    }
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "failed";
    throw usageError(`cannot write to ${folder} (${code})`, "Name another folder by --output DIR.");
  }
  throw usageError(`${folder} is full of files called ${name}`, "Name another folder by --output DIR.");
}

async function writeNew(file: string, data: Uint8Array): Promise<boolean> {
  try {
    await writeFile(file, data, { flag: "wx", mode: 0o600 });
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  }
}

/** A result, and what is known of the call. */
export interface OutcomeToShow {
  readonly outcome: ToolOutcome;
  readonly definition: ToolDefinition;
  readonly ms: number;
  /** Folder for files; default `hostside-output` in the working folder. */
  readonly output?: string | undefined;
}

/**
 * Shows a result: texts and structured content on stdout, cleaned where that is a terminal and as
 * they are where it is not, each with a line feed at its end; bytes in files, whose paths are on
 * stderr. With `--json` the whole result is one document, and files are saved only where a folder
 * is named. Returns what the command exits with.
 */
export async function showOutcome(shown: OutcomeToShow, context: CommandContext): Promise<number> {
  const { outcome, definition, ms, output } = shown;
  const { terminal, options } = context;
  const report = reportOutcome(outcome);
  const target = { folder: resolve(terminal.cwd, output ?? "hostside-output"), name: definition.name };
  const isSaving = options.json !== true || output !== undefined;
  const paths: string[] = [];
  for (const part of isSaving ? report.parts : []) {
    if (part.kind === "file") paths.push(await saveFile(part, target));
  }
  if (options.json === true) {
    const { output: result, is_error } = present(outcome, "envelope");
    const { serverId, toolName } = outcome.origin;
    const tool = { name: definition.name, server: serverId, tool: toolName };
    printJson(terminal, { tool, ms, isError: is_error === true, outcome: result, files: paths });
  } else writeReport(report, context, paths);
  return report.isError ? exitCodes.fail : exitCodes.pass;
}

function writeReport({ parts, isError }: OutcomeReport, { terminal }: CommandContext, paths: readonly string[]): void {
  const isTerminal = terminal.stdout.isTTY;
  const texts = parts.flatMap((part) => {
    if (part.kind === "text") return [isTerminal ? cleanText(part.text) : part.text];
    if (part.kind !== "data") return [];
    return [isTerminal ? renderJson(part.value, terminal).join("\n") : JSON.stringify(part.value, undefined, 2)];
  });
  const text = texts.join("\n");
  const shown = text === "" || text.endsWith("\n") ? text : `${text}\n`;
  // What reads a pipe gets every character.
  if (isTerminal) terminal.out(shown);
  else (terminal.outWhole ?? terminal.out)(shown);
  for (const part of parts) {
    if (part.kind === "notice") terminal.err(`${terminal.paintErr("dim", terminalLine(part.text, 2000))}\n`);
  }
  for (const path of paths) terminal.err(`saved ${path}\n`);
  if (isError) terminal.err(`${terminal.paintErr("bad", "error:")} the tool says that it failed\n`);
}
