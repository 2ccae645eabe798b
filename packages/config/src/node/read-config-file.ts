import { readConfig, type ConfigResult, type ReadConfigOptions } from "../read-config.ts";
import type { ConfigProblem } from "../problem/config-problem.ts";
import { readText } from "./read-text.ts";

// More than what is parsed, so that a file that is too long says so in characters.
const maxBytes = 32 * 1024 * 1024;

/** Reads the configuration in a file. Never rejects: a file that is not there has no servers and no problems, another one that cannot be read has one. */
export async function readConfigFile(
  path: string,
  options: Omit<ReadConfigOptions, "file"> = {},
): Promise<ConfigResult> {
  try {
    return readConfig(await readText(path, maxBytes), { ...options, file: path });
  } catch (error) {
    const { code, message } = describe(error);
    const none: ConfigResult = { servers: [], settings: {}, problems: [] };
    if (code === "ENOENT" || code === "ENOTDIR") return none;
    const problem: ConfigProblem = {
      file: path,
      path: "",
      severity: "error",
      code: code === "EFBIG" ? "too_large" : "unreadable_file",
      message,
    };
    return { ...none, problems: [problem] };
  }
}

function describe(error: unknown): { readonly code: string; readonly message: string } {
  if (!(error instanceof Error)) return { code: "", message: "cannot be read" };
  const code = "code" in error ? String(error.code) : "";
  return { code, message: `cannot be read: ${code === "EISDIR" ? "it is a directory" : error.message}` };
}
