/** A server that stands in a command line itself, in place of a configuration. */
export interface TypedServer {
  readonly id: string;
  /** A URL, or a program and its arguments. */
  readonly words: readonly string[];
}

/** What names a server in a command line of hostside: its id, or what was typed in its place. */
export function serverWords(serverId: string, typed: TypedServer | undefined): readonly string[] {
  if (typed?.id !== serverId) return [serverId];
  return typed.words.length === 1 && /^https?:/i.test(typed.words[0] ?? "") ? typed.words : ["--", ...typed.words];
}
