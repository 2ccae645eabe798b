/**
 * Whether every model API known accepts a function name: `a-z`, then `a-z0-9_-`, at most 64
 * characters.
 */
export function isLegalFunctionName(name: string): boolean {
  return /^[a-z][a-z0-9_-]{0,63}$/.test(name);
}
