/**
 * Options to reach servers by the proxies that the environment names, as other programs do.
 */
export const fromEnvironment = { proxy: "environment" } as const;
