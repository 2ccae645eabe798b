import type { ServerSpec } from "@hostside/core";

/**
 * Is set for every program that `hostside serve` starts, so that one of them that starts it once
 * more is seen.
 */
export const servedVariable = "HOSTSIDE_SERVED";

const ends = /(?:\.(?:cmd|ps1|exe|[cm]?js|ts))$/i;

/**
 * Tells if a server is `hostside serve` itself, however it is started: the entry that a host has
 * for it, and that is found again where the configurations of hosts are read. `addresses`: where
 * this one listens. Pure.
 */
export function isServeEntry(spec: ServerSpec, addresses: readonly string[] = []): boolean {
  const { command, url } = spec;
  if (url !== undefined) return addresses.some((address) => isSamePlace(url, address));
  if (command === undefined) return false;
  // One word for a whole line, as `sh -c` and `cmd /c` take it, too.
  const words = [command, ...(spec.args ?? [])].flatMap((word) => word.split(/\s+/));
  const at = words.findIndex(isHostside);
  return at !== -1 && commandOf(words.slice(at + 1)) === "serve";
}

// `hostside`, `hostside@1.2.3`, `/srv/hostside-1.2.3.tgz`, `/usr/bin/hostside`, `…\host.cmd`,
// `…/hostside/bin/hostside.js`.
function isHostside(word: string): boolean {
  const name =
    word
      .replaceAll(/^["']|["']$/g, "")
      .split(/[\\/]/)
      .at(-1) ?? "";
  return /^hostside(?:@[^@]*|-\d[^@]*\.tgz)?$/i.test(name.replace(ends, ""));
}

const withValue: ReadonlySet<string> = new Set(["--config", "--timeout"]);

// Options of every command may stand before its name, and `npx -p hostside hostside` has the name
// twice.
function commandOf(words: readonly string[]): string | undefined {
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? "";
    if (withValue.has(word)) at += 1;
    else if (!word.startsWith("-") && !isHostside(word)) return word.replaceAll(/["']/g, "");
  }
  return undefined;
}

function isSamePlace(one: string, other: string): boolean {
  if (!URL.canParse(one) || !URL.canParse(other)) return false;
  const [a, b] = [new URL(one), new URL(other)];
  return a.port === b.port && a.protocol === b.protocol && hostOf(a) === hostOf(b);
}

function hostOf({ hostname }: URL): string {
  return /^(?:localhost|127(?:\.\d+){3}|\[::1\]|\[::\]|0\.0\.0\.0)$/.test(hostname) ? "localhost" : hostname;
}
