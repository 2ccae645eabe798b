/** What the index knows of one tool: untrusted text, read as words and never as anything else. */
export interface SearchDocument {
  /** The name a model calls the tool by; unique in the index, byte for byte. */
  readonly name: string;
  /** The name without the server's part. */
  readonly shortName: string;
  /** Further names that count as exact: the remote name, the server's id with the remote name. */
  readonly aliases: readonly string[];
  /** Blank when there is none. */
  readonly title: string;
  readonly description: string;
  /** Names of the parameters. */
  readonly parameters: readonly string[];
  /** Words of the server and of the groups the tool is in. */
  readonly context: string;
}
