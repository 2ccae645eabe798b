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
