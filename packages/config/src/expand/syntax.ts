/** A way of writing a reference. */
export type ReferenceForm =
  /** `${NAME}` */
  | "braces"
  /** `${NAME:-default}`, and in the forms with a prefix as well. */
  | "default"
  /** `${env:NAME}` */
  | "env"
  /** `${file:path}` */
  | "file"
  /** `${input:id}` */
  | "input"
  /** `${workspaceFolder}`, `${userHome}` and their like */
  | "folders"
  /** `$NAME` */
  | "bare"
  /** `%NAME%`, in `env` and headers, and on Windows alone */
  | "percent"
  /** `{env:NAME}` and `{file:path}` */
  | "curly"
  /** `$env:NAME` */
  | "shell"
  /** `${{ secrets.NAME }}` */
  | "secrets";

/**
 * What a reference to a variable that is not set becomes: the text as it is, nothing, or an error
 * that costs the server.
 */
export type UnsetRule = "literal" | "empty" | "error";

/** How references are written in a dialect. */
export interface Syntax {
  readonly forms: readonly ReferenceForm[];
  /** By the first part of the field: `command`, `args`, `env`, `url`, `headers`, `cwd`. */
  unset(field: string): UnsetRule;
  /** Fields in which folders are no names. */
  readonly foldersNotIn?: readonly string[] | undefined;
  /**
   * `true`: a command is expanded as a whole or not at all, and nothing is said of arguments, as
   * evva does it.
   */
  readonly evva?: boolean | undefined;
}

/** Nothing is expanded. */
export const noSyntax: Syntax = { forms: [], unset: () => "literal" };
