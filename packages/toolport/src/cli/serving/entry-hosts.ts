/** Programs that an entry can be written for, by their dialects. */
export const entryHosts = ["claude-code", "claude-desktop", "cursor", "vscode", "codex", "gemini"] as const;

/** See {@linkcode entryHosts}. */
export type EntryHost = (typeof entryHosts)[number];
