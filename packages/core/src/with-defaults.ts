/** Members that may be given, absent or `undefined`. */
export type Given<T> = { readonly [Member in keyof T]?: T[Member] | undefined };

/**
 * `defaults` with the members that were given in their place. One that is `undefined` counts as not
 * given, which a spread does not do: it would put `undefined` over the default. Members that
 * `defaults` lacks are taken over as they are. Neither argument changes.
 */
export function withDefaults<T extends object>(defaults: T, given: Given<T> | undefined): T {
  const known = Object.entries(given ?? {}).filter(([, value]) => value !== undefined);
  return { ...defaults, ...Object.fromEntries(known) };
}
