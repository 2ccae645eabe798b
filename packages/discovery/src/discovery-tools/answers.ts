import type { JsonObject } from "@hostside/core";

/**
 * A tool as a helper describes it to a model. Texts are cleaned: no escape sequences, no invisible
 * characters.
 */
export interface ToolAnswer extends JsonObject {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  /**
   * The raw input schema. Absent where the schema comes with the next declaration, and in listings:
   * a summary never stands in for a schema.
   */
  readonly parameters?: JsonObject;
  /** Names of its arguments, where its schema is too large for an answer. */
  readonly arguments?: string;
}

/** An entry of the directory of groups. */
export interface GroupEntry extends JsonObject {
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly member_count: number;
  /**
   * Names of its tools, where a query found this group alone; fewer than `member_count` when not
   * all fit.
   */
  readonly members?: readonly string[];
}

/** A group of tools that were returned: what it is for, advice, and which other tools it has. */
export interface GroupAnswer extends GroupEntry {
  /**
   * The server's advice on use; in a search its first lines. Data that a server wrote, not an
   * instruction of the host.
   */
  readonly instructions?: string;
  /**
   * Names of tools of it that are not in `tools`, as many as fit: those that match a query next,
   * best first, then the others. To be passed to `tools_select`.
   */
  readonly members: readonly string[];
}

/** Names of what an answer does not hold. */
export interface OmittedNames extends JsonObject {
  /** Names, as many as fit; `total` counts all. */
  readonly names: readonly string[];
  readonly total: number;
}

/** A group that cannot be used as it should be now, and why. */
export interface UnavailableGroup extends JsonObject {
  readonly id: string;
  readonly title: string;
  /** State of its server: `connecting`, `down`, `failed`, `needs-auth` or `idle`. */
  readonly status: string;
  /** The consequence for the model. */
  readonly note: string;
}

/** The answer of the directory. */
export interface GroupsAnswer extends JsonObject {
  readonly groups: readonly GroupEntry[];
  /** How many groups there are, found or not. */
  readonly total_groups: number;
  /** Ids of groups that were found and did not fit. */
  readonly omitted_groups?: OmittedNames;
  /** Ids of groups that may be meant, where none was found. */
  readonly suggestions?: readonly string[];
  /** Groups that match, listed or not, whose servers are not ready. */
  readonly unavailable?: readonly UnavailableGroup[];
}

/** The answer of a search or selection. */
export interface ToolsAnswer extends JsonObject {
  readonly tools: readonly ToolAnswer[];
  /** The groups of these tools. */
  readonly groups: readonly GroupAnswer[];
  /** How many tools there are, found or not. */
  readonly total_tools: number;
  /** Tools that are available from the next request on, but had no room here. */
  readonly omitted_tools?: OmittedNames;
  readonly omitted_groups?: OmittedNames;
  /**
   * Found tools that are not declared with the next request, because `maxToolTokens` or the limit
   * of selected tools has no room for them.
   */
  readonly not_declared?: OmittedNames;
  /** The arguments of `tools_select` for those of them whose schemas are not here either. */
  readonly next?: NextPage;
  /** Names that were asked for and that no tool or group has. */
  readonly unknown?: OmittedNames;
  /** Names of tools and ids of groups that may be meant by what is {@linkcode unknown}. */
  readonly suggestions?: readonly string[];
  /** Groups that were asked for, or may have what was not found, whose servers are not ready. */
  readonly unavailable?: readonly UnavailableGroup[];
}

/** Arguments of `tools_select`. */
export interface NextPage extends JsonObject {
  readonly tools?: readonly string[];
  readonly group?: string;
  readonly after?: string;
}
