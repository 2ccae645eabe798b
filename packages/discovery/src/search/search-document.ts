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
  /** What the parameters are for: their descriptions and permitted values. Default blank. */
  readonly parameterTexts?: string;
  /** Words of the server and of the groups the tool is in. */
  readonly context: string;
  /** What its groups are for, such as a server's description and advice. Default blank. */
  readonly about?: string;
}
