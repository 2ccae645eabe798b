import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { createFileCredentials, defaultCredentialsFolder } from "@toolport/auth/node";
import type { ToolportState } from "../toolport-options.ts";
import { createFileStore } from "./create-file-store.ts";

/**
 * What the command line keeps for this user, and a toolport with `state: "user"` shares: in `$XDG_STATE_HOME/toolport`, `~/Library/Application Support/toolport` or
 * `%LOCALAPPDATA%\toolport`. Nothing is written before there is something to keep.
 */
export function userState({
  env = process.env,
  home = homedir(),
  platform = process.platform,
}: {
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  readonly home?: string | undefined;
  readonly platform?: string | undefined;
} = {}): ToolportState {
  const folder = defaultCredentialsFolder({ product: "toolport", platform, env, home });
  return {
    credentials: createFileCredentials({ folder }),
    store: createFileStore({ folder: join(dirname(folder), "state") }),
  };
}
