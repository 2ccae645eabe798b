import type * as httpModule from "#http";
import { HostsideError, type ServerEntry } from "@hostside/core";
import { anyMemberOf } from "../message/member-of.ts";

let attempts = 0;

/**
 * Loads the code for HTTP. Throws `unreachable`, which may be retried, when the system is out of
 * open files or memory for now.
 */
export async function loadHttp(serverId: string): Promise<typeof httpModule> {
  try {
    return await import("#http");
  } catch {
    attempts += 1;
    try {
      // A runtime keeps a module that failed to load as failed, under its address; with a query,
      // the address is another one, of the same file.
      const address = `${import.meta.resolve("#http")}?again=${attempts}`;
      return (await import(/* webpackIgnore: true */ /* @vite-ignore */ address)) as typeof httpModule;
    } catch (cause) {
      const code = String(anyMemberOf(cause, "code"));
      // What newer versions of Node say of a package.json that cannot be opened.
      const reason = code === "ERR_INVALID_PACKAGE_CONFIG" ? `most likely EMFILE, told as ${code}` : code;
      throw new HostsideError(
        `server ${JSON.stringify(serverId)}: the code for HTTP could not be loaded; the system may be out of open files or memory (${reason})`,
        { code: "unreachable", serverId, retryable: true, outcome: "not-sent", cause },
      );
    }
  }
}

/**
 * Begins to load the code for HTTP, so that it is there when the first server is wanted. Its
 * failure is told then.
 */
export function preload({ url }: ServerEntry): void {
  if (url !== undefined) import("#http").catch(() => undefined);
}
