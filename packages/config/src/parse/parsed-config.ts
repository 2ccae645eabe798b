import type { ConfigProblem } from "./config-problem.ts";
import type { ConfigData, ConfigPath } from "./config-data.ts";

/** The format of a configuration. JSON may have comments and trailing commas. */
export type ConfigFormat = "json" | "yaml" | "toml";

/** A place in a text, from 1; `offset` from 0, after a byte order mark. All in UTF-16 units. */
export interface Position {
  readonly line: number;
  readonly column: number;
  readonly offset: number;
}

/** A configuration that was parsed: its data, and where in the text each of them is. */
export interface ParsedConfig {
  readonly file?: string | undefined;
  /** `"data"`: it was never a text. */
  readonly format: ConfigFormat | "data";
  /** The data; `undefined` where the text is broken. */
  readonly data: ConfigData | undefined;
  /** Problems of the text. */
  readonly problems: readonly ConfigProblem[];
  /**
   * Returns where a value, or its name, begins. For a path that leads nowhere: where its last part
   * that exists does.
   */
  readonly positionOf: (path: ConfigPath, of?: "name" | "value") => Position | undefined;
}
