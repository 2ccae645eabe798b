import { HostsideError } from "@hostside/core";
import type * as filesModule from "node:fs/promises";

/** What is needed of Node's files. */
export type Files = Pick<typeof filesModule, "access" | "constants" | "stat">;

/**
 * Checks a server's working directory before the server is started: the system's own error for a
 * bad one blames the program. Throws `spawn_failed` for field `transport.cwd`.
 */
export async function assertDirectory(
  cwd: string,
  serverId: string,
  { access, constants, stat }: Files,
): Promise<void> {
  const fail = (what: string, cause?: unknown): HostsideError =>
    new HostsideError(`server ${JSON.stringify(serverId)}: the working directory ${JSON.stringify(cwd)} ${what}`, {
      code: "spawn_failed",
      serverId,
      details: { operation: "spawn", field: "cwd" },
      cause,
    });
  let isDirectory: boolean;
  try {
    isDirectory = (await stat(cwd)).isDirectory();
  } catch (error) {
    throw fail("does not exist", error);
  }
  if (!isDirectory) throw fail("is not a directory");
  try {
    await access(cwd, constants.X_OK);
  } catch (error) {
    throw fail("may not be entered", error);
  }
}
