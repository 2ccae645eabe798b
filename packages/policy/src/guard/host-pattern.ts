/** Whether a hostname is one that a pattern stands for. */
export type HostMatch = (hostname: string) => boolean;

/**
 * Reads a pattern of hostnames: a name, or `*.example.com` for all names below one, itself not
 * included. Names are compared as a URL spells them, so that case, an international name and its
 * ASCII form, and a dot at the end make no difference. Throws a `TypeError` that names `place` for
 * what is none: a URL, a port, a `*` elsewhere.
 */
export function readHostPattern(pattern: string, place: string): HostMatch {
  const isBelow = pattern.startsWith("*.");
  const name = isBelow ? pattern.slice(2) : pattern;
  const hostname = /[*/:@?#\\\s]/.test(name) && !name.startsWith("[") ? undefined : hostnameOf(name);
  if (hostname === undefined || hostname === "")
    throw new TypeError(`${place}: ${JSON.stringify(pattern)} is no hostname, nor *. and one`);
  if (isBelow) {
    const suffix = `.${hostname}`;
    return (other) => other.length > suffix.length && other.endsWith(suffix);
  }
  return (other) => other === hostname;
}

/** A URL's hostname without the dots at its end, which change nothing about where it leads. */
export function plainHostname({ hostname }: URL): string {
  // No regular expression: a name may be very long, and have dots everywhere.
  let end = hostname.length;
  while (hostname.charAt(end - 1) === ".") end -= 1;
  return hostname.slice(0, end);
}

function hostnameOf(name: string): string | undefined {
  const url = `http://${name}/`;
  return URL.canParse(url) ? plainHostname(new URL(url)) : undefined;
}
