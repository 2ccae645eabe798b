import { formatProblem, type ConfigProblem } from "@hostside/config";
import type { LoadedConfig } from "@hostside/config/node";
import { cleanText, HostsideError, truncateText } from "@hostside/core";
import { formatMs } from "@hostside/core/implement";

const mostShown = 5;
const longestProblem = 500;

/**
 * Why nothing of a configuration can be used, where that is so: no server is left, and a problem is
 * an error.
 */
export function configError({ servers, problems }: LoadedConfig): HostsideError | undefined {
  const errors = problems.filter(({ severity }) => severity === "error");
  if (servers.length > 0 || errors.length === 0) return undefined;
  const shown = errors.slice(0, mostShown).map(problemLine);
  const more = errors.length > mostShown ? [`and ${errors.length - mostShown} more`] : [];
  const field = errors[0]?.path;
  return new HostsideError(`no server of the configuration can be used: ${[...shown, ...more].join("; ")}`, {
    code: "invalid_config",
    details: { operation: "createHost", ...(field !== undefined && field !== "" && { field }) },
  });
}

/** Makes the error for a configuration that takes too long to be read. */
export function slowConfigError(files: unknown, timeoutMs: number): HostsideError {
  const what = Array.isArray(files) ? `: ${files.map(pathOf).join(", ")}` : "";
  return new HostsideError(
    `the configuration could not be read within ${formatMs(timeoutMs)}${cleanText(what, 1000)}`,
    {
      code: "invalid_config",
      details: { operation: "createHost", timeoutMs },
    },
  );
}

function problemLine(problem: ConfigProblem): string {
  return truncateText(cleanText(formatProblem(problem)), longestProblem);
}

function pathOf(file: unknown): string {
  if (typeof file === "string") return file;
  return typeof file === "object" && file !== null && "path" in file ? String(file.path) : "";
}
