import { cleanText, type ToolOutcome, type ToolDefinition } from "@hostside/core";
import { present } from "@hostside/results";
import { mkdir, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { usageError, exitCodes } from "../exit-codes.ts";
import type { CommandContext } from "../command-context.ts";
import { terminalLine } from "../render/render-text.ts";
import { renderJson, printJson } from "../render/print.ts";

interface FilePart {
  readonly kind: "file";
  /** Lower case, without parameters; a server's word. */
  readonly mimeType: string;
  readonly data: Uint8Array;
}

/** A piece of a result as a person gets it. A notice is in words of this host. */
type ReportedPart =
  | { readonly kind: "text" | "notice"; readonly text: string }
  | { readonly kind: "data"; readonly value: unknown }
  | FilePart;

const mebibyte = 1024 * 1024;
const families = ["application", "audio", "font", "image", "message", "model", "multipart", "text", "video"];

/**
 * Presents a result as for a model, without the bounds of a model: every text whole, structured
 * content where no text says the same, all bytes. Pure; never throws, whatever the server sent.
 */
function partsOf(outcome: ToolOutcome): readonly ReportedPart[] {
  const { blocks } = present(outcome, "blocks", {
    maxTextBytes: 1024 * mebibyte,
    maxBlocks: 100_000,
    media: { types: families.map((family) => `${family}/*`), maxItemBytes: 1024 * mebibyte, maxItems: 10_000 },
  });
  return blocks.map((block): ReportedPart => {
    if (block.type !== "text")
      return { kind: "file", mimeType: block.mimeType, data: Buffer.from(block.data, "base64") };
    const { part, text } = block;
    if (part === "structured") return { kind: "data", value: JSON.parse(text) as unknown };
    return { kind: part === "notice" || part === "error" ? "notice" : "text", text };
  });
}

const endings: Readonly<Record<string, string>> = {
  "image/png": "png",
  "image/jpeg": "jpg",
  "image/gif": "gif",
  "image/webp": "webp",
  "image/svg+xml": "svg",
  "audio/wav": "wav",
  "audio/mpeg": "mp3",
  "audio/ogg": "ogg",
  "video/mp4": "mp4",
  "video/webm": "webm",
  "application/pdf": "pdf",
  "application/json": "json",
  "application/zip": "zip",
  "text/plain": "txt",
  "text/markdown": "md",
  "text/csv": "csv",
  "text/html": "html",
};
const mostTries = 100_000;

/**
 * Saves bytes under a name that is free, and resolves to the path. Nothing of it comes from what
 * the server calls the file: of the tool's local name only letters, digits, `_` and `-` are taken,
 * and its ending is one of a list. No file is ever written over. Only its user may read it. Rejects
 * with a usage error for a folder that cannot be written to.
 */
async function saveFile(
  { data, mimeType }: FilePart,
  { folder, toolName }: { readonly folder: string; readonly toolName: string },
): Promise<string> {
  const name = toolName.replaceAll(/[^A-Za-z0-9_-]/g, "_").slice(0, 64) || "result";
  const ending = (Object.hasOwn(endings, mimeType) && endings[mimeType]) || "bin";
  try {
    await mkdir(folder, { recursive: true });
    for (let number = 1; number <= mostTries; number += 1) {
      const file = join(folder, `${name}-${number}.${ending}`);
      const isNew = await writeFile(file, data, { flag: "wx", mode: 0o600 }).then(
        () => true,
        (error: unknown) => {
          if (codeOf(error) === "EEXIST") return false;
          throw error;
        },
      );
      if (isNew) return file;
    }
  } catch (error) {
    throw usageError(`cannot write to ${folder} (${codeOf(error)})`, "Name another folder by --output DIR.");
  }
  throw usageError(`${folder} is full of files called ${name}`, "Name another folder by --output DIR.");
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "failed";
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
  const parts = partsOf(outcome);
  const target = { folder: resolve(terminal.cwd, output ?? "hostside-output"), toolName: definition.name };
  const isSaving = options.json !== true || output !== undefined;
  const paths: string[] = [];
  for (const part of isSaving ? parts : []) {
    if (part.kind === "file") paths.push(await saveFile(part, target));
  }
  if (options.json === true) {
    const { output: result, is_error } = present(outcome, "envelope");
    const { serverId, toolName } = outcome.origin;
    const tool = { name: definition.name, server: serverId, tool: toolName };
    printJson(terminal, { tool, ms, isError: is_error === true, outcome: result, files: paths });
  } else writeReport(parts, context, { isError: outcome.isError, paths });
  return outcome.isError ? exitCodes.fail : exitCodes.pass;
}

function writeReport(
  parts: readonly ReportedPart[],
  { terminal }: CommandContext,
  { isError, paths }: { readonly isError: boolean; readonly paths: readonly string[] },
): void {
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
