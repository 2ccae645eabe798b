import type { ServeSettings } from "@toolport/config";

/** What `serve` was given. */
export interface ServeArguments {
  readonly expose?: ServeSettings["expose"];
  readonly readOnly?: boolean | undefined;
  readonly ask?: boolean | undefined;
  readonly redact?: boolean | undefined;
  /** A lock file of `toolport lock`. */
  readonly lock?: string | undefined;
  /** Where it listens; `true`: at the default address. Absent: stdio. */
  readonly http?: string | true | undefined;
  readonly anyAddress?: boolean | undefined;
  readonly publicUrl?: string | undefined;
  readonly tokenFile?: string | undefined;
  readonly printToken?: boolean | undefined;
  readonly printConfig?: string | undefined;
}
