const deepest = 256;

/**
 * Where JSON data has a number that may not be the one that was written, as a JSON pointer such as
 * `/order/id`: an integer beyond 2^53 - 1, of which JavaScript keeps 15 to 17 digits, and what is
 * not finite. A large number that is written with an exponent and few digits, such as `6.022e23`,
 * is what it says. `undefined`: there is none. Data that holds itself ends, too.
 */
export function findLostDigits(data: unknown): string | undefined {
  return typeof data === "object" ? find(data, { path: "", depth: 0, seen: new Set() }) : undefined;
}

interface Place {
  readonly path: string;
  readonly depth: number;
  readonly seen: Set<unknown>;
}

function find(value: unknown, { path, depth, seen }: Place): string | undefined {
  if (typeof value === "number") return isExact(value) ? undefined : path;
  if (typeof value !== "object" || value === null || depth > deepest || seen.has(value)) return undefined;
  seen.add(value);
  for (const name of Object.keys(value)) {
    const member: unknown = Reflect.get(value, name);
    if (typeof member !== "number" && typeof member !== "object") continue;
    const step = name.replaceAll("~", "~0").replaceAll("/", "~1");
    const found = find(member, { path: `${path}/${step}`, depth: depth + 1, seen });
    if (found !== undefined) return found;
  }
  return undefined;
}

function isExact(value: number): boolean {
  if (Math.abs(value) <= Number.MAX_SAFE_INTEGER) return true;
  if (!Number.isFinite(value) || Math.abs(value) < 1e21) return false;
  const [digits = ""] = String(value).split("e");
  return digits.replaceAll(/\D/g, "").length <= 15;
}
