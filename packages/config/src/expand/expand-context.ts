import type { ServerSpec } from "@hostside/core";
import type { ConfigInput } from "../drafts/host-settings.ts";
import type { Env } from "./expand-env.ts";

/** Returns the value of a key; `undefined`: there is none. */
export type Source<Key> = (key: Key) => string | undefined | Promise<string | undefined>;

/** All that references in a configuration may stand for. Nothing is read from anywhere else. */
export interface ExpandContext {
  readonly env: Env;
  /**
   * The content of the file at a path, as it is written in the reference. A rejection is a problem.
   * Default: no file can be read.
   */
  readonly files?: Readonly<Record<string, string>> | Source<string> | undefined;
  /**
   * True if a project brings the file at a path, and its entry: such a text is no secret of the
   * host. Default: none is.
   */
  readonly isShipped?: ((path: string) => boolean | Promise<boolean>) | undefined;
  /**
   * Answers, by the id of an input. Default: none, so that an input has its default or is a
   * problem.
   */
  readonly inputs?: Readonly<Record<string, string>> | Source<ConfigInput> | undefined;
  readonly folders?: Folders | undefined;
  /**
   * As `process.platform` says it; decides about separators and the case of variables. Default:
   * none that is Windows.
   */
  readonly platform?: string | undefined;
  /**
   * A further check of each spec, such as the `check` of a connector. An error that it throws is a
   * problem at the place of its field.
   */
  readonly check?: ((spec: ServerSpec) => void) | undefined;
}

/** Folders that references can name, as absolute paths. */
export interface Folders {
  readonly workspaceFolder?: string | undefined;
  readonly userHome?: string | undefined;
  /** The folder of the configuration. */
  readonly configFolder?: string | undefined;
  /** The folder of the extension that brings the configuration. */
  readonly extensionRoot?: string | undefined;
}

const line = /^\s*(?:export\s+)?([A-Za-z_][\w.-]*)\s*=\s*(.*)$/;

/**
 * The variables of a file with a `NAME=value` in each line. A value may be in single or double
 * quotation marks, the latter with `\n`; what follows ` #` is a comment. Nothing is expanded, and a
 * line that is none of this is left out.
 */
export function parseEnvFile(text: string): ReadonlyMap<string, string> {
  const variables = new Map<string, string>();
  for (const written of text.split(/\r?\n|\r/)) {
    const [, name, value = ""] = line.exec(written) ?? [];
    if (name !== undefined) variables.set(name, readValue(value.trim()));
  }
  return variables;
}

function readValue(value: string): string {
  const [quote = ""] = value;
  const end = quote === '"' || quote === "'" ? value.indexOf(quote, 1) : -1;
  if (end < 0) return value.replace(/\s#.*$/, "").trimEnd();
  const inner = value.slice(1, end);
  return quote === '"' ? inner.replaceAll(String.raw`\n`, "\n") : inner;
}
