import type { ConfigScope } from "../drafts/configured-server.ts";
import type { ConfigResult } from "../dialects/read-parsed.ts";

/** One configuration among others. */
export interface ConfigLayer {
  readonly scope: ConfigScope;
  readonly result: ConfigResult;
  /** Its path, for problems. */
  readonly file?: string | undefined;
  /**
   * The folder of the project, as an absolute path, for a file that whoever wrote the project may
   * have put there: its servers start only where their user trusts them. Absent: a file of the
   * user's own.
   */
  readonly projectFolder?: string | undefined;
  /**
   * The folder of its relative paths, as an absolute path. Absent: they begin nowhere, and a
   * relative program is refused.
   */
  readonly baseFolder?: string | undefined;
}
