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

/** Which files are read, and how. */
export interface FileOptions {
  /** Files in place of what is found (`--config`, repeatable). */
  readonly config?: readonly string[] | undefined;
  /** The dialect of these files (`--dialect`). Default: found out. */
  readonly dialect?: string | undefined;
}

/** The options that have another command line use the same files. */
export function fileWords(
  { config = [], dialect }: FileOptions,
  toPath: (file: string) => string = (file) => file,
): readonly string[] {
  const files = config.flatMap((file) => ["--config", toPath(file)]);
  return dialect === undefined ? files : [...files, "--dialect", dialect];
}
