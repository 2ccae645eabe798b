/** Programs that an entry can be written for, by their dialects. */
export const editors = ["claude-code", "claude-desktop", "cursor", "vscode", "codex", "gemini"] as const;

/** See {@linkcode editors}. */
export type Editor = (typeof editors)[number];
