import type { ConfiguredServer, DialectName } from "../drafts/configured-server.ts";
import type { Syntax } from "../syntax/references.ts";
import type { HostSettings } from "../drafts/host-settings.ts";
import type { ConfigFormat, ParsedConfig } from "../parse/parsed-config.ts";
import type { ConfigProblem } from "../parse/config-problem.ts";

/** The context of a file. */
export interface ReadContext {
  /**
   * The folder of the project, as the file has it: of a file with servers of many projects, its
   * servers are read, too.
   */
  readonly projectFolder?: string | undefined;
  /** The id of the extension whose file this is, which begins the names of its servers. */
  readonly extensionId?: string | undefined;
}

/** The content of a file. */
export interface DialectResult {
  /** In the order of the file. */
  readonly servers: readonly ConfiguredServer[];
  readonly settings: HostSettings;
  readonly problems: readonly ConfigProblem[];
}

/** One way of writing a configuration. */
export interface ConfigDialect {
  readonly name: DialectName;
  /** As people call the tool. */
  readonly title: string;
  /** The format of its files, where their names do not say it. */
  readonly format: ConfigFormat;
  readonly syntax: Syntax;
  /** Pure, and never throws. */
  read(parsed: ParsedConfig, context: ReadContext): DialectResult;
}
