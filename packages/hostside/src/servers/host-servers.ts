import type { Event, ServerLog, ServerNotification } from "@hostside/core";
import type { HostServerEntry } from "../configuration/server-entries.ts";
import type { EndOptions, UserOperationOptions } from "@hostside/provider";

/**
 * Administers the servers of a host while it runs. Servers of files and shared servers are changed
 * where they are written: an edit of one source never changes the servers of another.
 */
export interface HostServers {
  /**
   * Adds a server, connects to it and lists its tools. If that fails, nothing of the server is
   * left. A server that conversations do not share (`pool`) connects when a conversation needs it.
   * Edits of files keep what was added.
   *
   * Rejects with `duplicate_server` if the name is in use, `invalid_spec` or
   * `unsupported_transport` for a wrong entry, `aborted`, `closed`, and with the error of the
   * connection.
   *
   * @example
   * await host.servers.add("files", { command: "npx", args: ["-y", "@modelcontextprotocol/server-filesystem", "."] });
   */
  add(name: string, entry: HostServerEntry, options?: UserOperationOptions): Promise<void>;
  /**
   * Gives a server of `servers` or of {@linkcode add} another entry. Only what changed is done
   * again. Calls under way have 5 seconds to finish. The new entry stays if the connection fails.
   *
   * Rejects with `unknown_server` if another source has the server, and else as {@linkcode add}
   * does.
   */
  update(name: string, entry: HostServerEntry, options?: UserOperationOptions): Promise<void>;
  /**
   * Removes a server of `servers` or of {@linkcode add}. Resolves with `true` when nothing of it is
   * left, or `false` if there is no server of this name. Rejects with `unknown_server` if another
   * source has it.
   */
  remove(name: string, options?: EndOptions): Promise<boolean>;
  /**
   * Ends all connections to a server and connects again, whatever source it is from. Calls under
   * way are ended with `server_removed`. Connections that conversations do not share are made again
   * by the next call.
   *
   * Rejects with `unknown_server`, `server_disabled`, `aborted`, `closed`, and with the error of
   * the connection.
   */
  restart(name: string, options?: UserOperationOptions): Promise<void>;
  /** Fires for each line that a server logs. Untrusted. */
  readonly onLog: Event<ServerLog & { readonly serverId: string }>;
  /** Fires for each notification that no request waits for; of a flood only some. Untrusted. */
  readonly onNotification: Event<ServerNotification & { readonly serverId: string }>;
}
