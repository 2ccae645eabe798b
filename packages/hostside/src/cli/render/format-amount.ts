/** A duration for people: `8 ms`, `340 ms`, `2.1 s`, `75 s`, `12 min`, `3 h`, `2 days`. */
export function formatDuration(ms: number): string {
  if (ms < 999.5) return `${Math.max(0, Math.round(ms))} ms`;
  const seconds = ms / 1000;
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  if (seconds < 119.5) return `${Math.round(seconds)} s`;
  const minutes = seconds / 60;
  if (minutes < 119.5) return `${Math.round(minutes)} min`;
  const hours = minutes / 60;
  return hours < 47.5 ? `${Math.round(hours)} h` : `${Math.round(hours / 24)} days`;
}

/** A number for people: `987`, `1.2k`, `34k`, `5.1M`. */
export function formatNumber(value: number): string {
  if (value < 1000) return String(Math.round(value));
  const [unit, sign] = value < 999_500 ? [1000, "k"] : [1_000_000, "M"];
  const amount = value / unit;
  return `${amount < 9.95 ? amount.toFixed(1).replace(/\.0$/, "") : Math.round(amount)}${sign}`;
}

/** What an estimate of tokens is shown as: `~1.2k tokens`. */
export function formatTokens(tokens: number): string {
  return tokens === 1 ? "~1 token" : `~${formatNumber(tokens)} tokens`;
}

/** A number of things: `1 tool`, `3 tools`, `2 entries` with `plural`. */
export function formatCount(count: number, noun: string, plural: string = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : plural}`;
}
