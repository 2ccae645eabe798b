import { readConfig, type ConfigResult, type ReadConfigOptions } from "../read-config.ts";
import type { ConfigProblem, ConfigProblemCode } from "../problem/config-problem.ts";
import { readText } from "./read-text.ts";

const maxBytes = 10 * 1024 * 1024;

/**
 * Reads the configuration in a file. Never rejects: a file that is not there has no servers and no
 * problems, another one that cannot be read has one.
 */
export async function readConfigFile(
  path: string,
  options: Omit<ReadConfigOptions, "file"> = {},
): Promise<ConfigResult> {
  const read = await readFileText(path);
  if ("text" in read) return readConfig(read.text, { ...options, file: path });
  return { servers: [], settings: {}, problems: "problem" in read ? [read.problem] : [] };
}

/** The text of a configuration, that there is none, or why it cannot be read. */
export type FileText = { readonly text: string } | { readonly missing: true } | { readonly problem: ConfigProblem };

/** Reads the text of a configuration of at most 10 MiB. Never rejects. */
export async function readFileText(path: string): Promise<FileText> {
  try {
    return { text: await readText(path, maxBytes) };
  } catch (error) {
    const { code, message } = describe(error);
    if (code === "ENOENT" || code === "ENOTDIR") return { missing: true };
    return { problem: fileProblem(path, { code: codes[code] ?? "unreadable_file", message }) };
  }
}

/** What is wrong with a file as a whole. */
export function fileProblem(
  file: string,
  { code, message, fix }: Pick<ConfigProblem, "code" | "message" | "fix">,
): ConfigProblem {
  return { file, path: "", severity: "error", code, message, ...(fix === undefined ? {} : { fix }) };
}

const codes: Readonly<Record<string, ConfigProblemCode>> = { EFBIG: "too_large", EAGAIN: "changing_file" };

function describe(error: unknown): { readonly code: string; readonly message: string } {
  if (!(error instanceof Error)) return { code: "", message: "cannot be read" };
  const code = "code" in error ? String(error.code) : "";
  return { code, message: `cannot be read: ${error.message}` };
}
