// RFC 6749, 3.3.
const scopeToken = /^[\u0021\u0023-\u005B\u005D-\u007E]+$/;
const mostScopes = 256;
const longestScope = 256;

/** Whether a text is one scope. */
export function isScope(text: string): boolean {
  return text.length <= longestScope && scopeToken.test(text);
}

/**
 * The scopes of several lists separated by spaces, each once, in order of appearance; `undefined`
 * when there are none. What is no scope is left out.
 */
export function joinScopes(...lists: readonly (string | undefined)[]): string | undefined {
  const scopes = new Set(lists.flatMap((list) => (list ?? "").split(/\s+/)).filter(isScope));
  return scopes.size === 0 ? undefined : Array.from(scopes).slice(0, mostScopes).join(" ");
}

/** Whether all scopes of `wanted` are among those of `granted`. */
export function coversScopes(granted: string | undefined, wanted: string | undefined): boolean {
  const has = new Set((granted ?? "").split(/\s+/));
  return (wanted ?? "").split(/\s+/).every((scope) => scope === "" || has.has(scope));
}
