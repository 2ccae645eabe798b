import { findReferences } from "../syntax/references.ts";

/** Environment variables, as data: `process.env` is one such. */
export type Env = Readonly<Record<string, string | undefined>>;

/** A text in which variables were put in place of their names. */
export interface ExpandedText {
  readonly expanded: string;
  /** The variables that are not set, each once, in their order. */
  readonly missing: readonly string[];
}

/**
 * `${VAR}` and `${VAR:-default}`. A variable that is set counts, also when it is empty; one that is
 * not set stays as it is written, and is in `missing`. `$VAR` stays as it is, and so does what is
 * in the value of a variable.
 */
export function expandEnv(text: string, env: Env): ExpandedText {
  const missing = new Set<string>();
  const expanded = findReferences(text, { forms: ["braces", "default"] }).map((piece) => {
    if (typeof piece === "string") return piece;
    const value = readVariable(env, piece.name) ?? piece.fallback;
    if (value === undefined) missing.add(piece.name);
    return value ?? piece.text;
  });
  return { expanded: expanded.join(""), missing: [...missing] };
}

/** The value of a variable that is set; on Windows its name may be in any case. */
export function readVariable(env: Env, name: string, platform?: string): string | undefined {
  if (Object.hasOwn(env, name)) return env[name];
  if (platform !== "win32") return undefined;
  const known = Object.keys(env).find((one) => one.toLowerCase() === name.toLowerCase());
  return known === undefined ? undefined : env[known];
}
