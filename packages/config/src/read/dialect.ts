import type { ConfiguredServer, DialectName } from "../drafts/configured-server.ts";
import type { Syntax } from "../syntax/references.ts";
import type { HostSettings } from "../drafts/host-settings.ts";
import type { ConfigFormat, ParsedConfig } from "../parse/parsed-config.ts";
import type { ConfigProblem } from "../parse/config-problem.ts";

/** What reading may depend on beside the file. */
export interface ReadContext {
  /**
   * The folder of the project, as an absolute path: of a file with servers of many projects, its
   * servers are read, too.
   */
  readonly projectFolder?: string | undefined;
  /**
   * The extension whose file this is, in hosts that have such: its id begins the names of its
   * servers.
   */
  readonly extension?: ExtensionContext | undefined;
}

/** An extension of a host that brings servers. */
export interface ExtensionContext {
  readonly id: string;
  /** Its folder, as an absolute path. */
  readonly root: string;
  /**
   * `true`: a server whose absolute command is outside of the folder is not read. Default `false`:
   * it is a warning.
   */
  readonly strictRootPaths?: boolean | undefined;
}

/** What a file says. */
export interface DialectResult {
  /** In the order of the file. */
  readonly servers: readonly ConfiguredServer[];
  readonly settings: HostSettings;
  readonly problems: readonly ConfigProblem[];
  /** `true`: what is wrong with the text is among these problems already, as the tool says it. */
  readonly coversText?: boolean | undefined;
}

/** One way of writing a configuration. */
export interface ConfigDialect {
  readonly name: DialectName;
  /** As people call the tool. */
  readonly title: string;
  /** What its files are written in, where their names do not say it. */
  readonly format: ConfigFormat;
  /** What the tool's own reader of JSON takes; a file with more is lost for it. */
  readonly strict?: "no comments" | "no trailing commas" | undefined;
  readonly syntax: Syntax;
  /** Pure, and never throws. */
  read(parsed: ParsedConfig, context: ReadContext): DialectResult;
}
