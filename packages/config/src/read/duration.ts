const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const longNames: Readonly<Record<string, string>> = {
  sec: "s",
  secs: "s",
  min: "m",
  mins: "m",
  hr: "h",
  hrs: "h",
  day: "d",
  days: "d",
};

/** A duration such as `30m` or `1h 30m`, in milliseconds; `undefined` for any other text. */
export function parseDuration(text: string): number | undefined {
  if (text.length > 64 || !/^(?:\s*\d{1,12}\s*[a-z]{1,4})+\s*$/.test(text)) return undefined;
  let total = 0;
  for (const [, amount, unit = ""] of text.matchAll(/(\d+)\s*([a-z]+)/g)) {
    const known = units[longNames[unit] ?? unit];
    if (known === undefined) return undefined;
    total += Number(amount) * known;
  }
  return total;
}
