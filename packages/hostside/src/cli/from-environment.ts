/**
 * How a command reaches servers: by the proxies that its environment names, as other programs that
 * a person starts do.
 */
export const fromEnvironment = { proxy: "environment" } as const;
