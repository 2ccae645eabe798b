const ending =
  /(?:token|secret|password|passwd|pwd|passphrase|credentials?|authorization|auth|bearer|cookie|header|key|pat|assertion|verifier)s?$/i;

/**
 * Whether a flag, variable, header or parameter of this name has a secret as its value:
 * `--api-key`, `GITHUB_TOKEN`, `Authorization`.
 */
export function isSecretName(name: string): boolean {
  return ending.test(name);
}

/** Stands in for a secret in any text. */
export const redacted = "[redacted]";

/** Replaces every secret it knows in a text. */
export type Redactor = (text: string) => string;
