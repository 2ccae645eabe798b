import type { ServeSettings } from "@hostside/config";

/** What `serve` was given. */
export interface ServeArguments {
  readonly expose?: ServeSettings["expose"];
  readonly readOnly?: boolean | undefined;
  readonly requireApproval?: boolean | undefined;
  readonly redact?: boolean | undefined;
  /** A lock file of `hostside lock`. */
  readonly lock?: string | undefined;
  /** A file that gets a line for each call. */
  readonly callLog?: string | undefined;
  /** Whether calls are traced, by an SDK that somebody has registered. */
  readonly otel?: boolean | undefined;
  /** Where it listens; `true`: at the default address. Absent: stdio. */
  readonly http?: string | true | undefined;
  readonly anyAddress?: boolean | undefined;
  readonly publicUrl?: string | undefined;
  readonly tokenFile?: string | undefined;
  readonly printToken?: boolean | undefined;
  readonly printConfig?: string | undefined;
}
