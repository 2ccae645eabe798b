/**
 * Why a program could not be started, with `missing` for one that is not there: Node's own message
 * names program and code alone.
 */
export function describeStartProblem(error: unknown, missing: string = "there is no such program"): string {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  const message = error instanceof Error ? error.message : String(error);
  if (code === "ENOENT") return `${message} (${missing})`;
  return code === "EACCES" ? `${message} (the file may not be executed)` : message;
}
