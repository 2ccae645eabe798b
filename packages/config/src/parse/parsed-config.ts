import type { ConfigProblem } from "./config-problem.ts";
import type { ConfigData, ConfigPath } from "./config-data.ts";

/** What a configuration can be written in. */
export type ConfigFormat = "json" | "jsonc" | "yaml" | "toml";

/** A place in a text, from 1; `offset` from 0, after a byte order mark. All in UTF-16 units. */
export interface Position {
  readonly line: number;
  readonly column: number;
  readonly offset: number;
}

/** What strict readers of JSON do not take, and where it is first. */
export interface Liberty {
  readonly kind: "comment" | "trailing comma";
  readonly offset: number;
}

/** A configuration that was parsed: its data, and where in the text each of them is. */
export interface ParsedConfig {
  readonly file?: string | undefined;
  /** `"data"`: it was never a text. */
  readonly format: ConfigFormat | "data";
  /** What could be read; `undefined` where nothing could. */
  readonly data: ConfigData | undefined;
  /** What is wrong with the text. */
  readonly problems: readonly ConfigProblem[];
  /** Of JSON: the first comment and the first trailing comma. */
  readonly liberties: readonly Liberty[];
  /**
   * Where a value, or its name, begins. For a path that leads nowhere: where its last part that
   * exists does.
   */
  readonly positionOf: (path: ConfigPath, of?: "name" | "value") => Position | undefined;
  /** The place of an offset into the text. */
  readonly positionAt: (offset: number) => Position | undefined;
  /** `false` where the text is broken inside this value, so that something of it may be missing. */
  readonly isWhole: (path: ConfigPath) => boolean;
}
