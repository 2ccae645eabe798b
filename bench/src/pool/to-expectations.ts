/** What was measured, and expectations are computed from. */
export interface Costs {
  /** Memory of a conversation over servers that all share. */
  readonly sharedBytes: number;
  /** The same with a provider of its own whose connection is not open. */
  readonly ownBytes: number;
  /** Memory of a process of its own, on its side and the host's. */
  readonly processBytes: number;
  /** CPU time of the host for one call. */
  readonly callMicros: number;
}

/** How many conversations the table is about. */
const sizes = [10, 1000, 100_000] as const;

/** How often a conversation calls a tool while it is used, in seconds. */
const secondsPerCall = 10;

// More than this, and a replica answers late.
const usedCore = 0.5;

/** The table of what to expect, as Markdown. Nothing in it is measured. */
export function toExpectations({ sharedBytes, ownBytes, processBytes, callMicros }: Costs): string {
  const callsOf = (size: number): number => size / secondsPerCall;
  const coresOf = (size: number): number => (callsOf(size) * callMicros) / 1e6;
  const rows: readonly (readonly [string, (size: number) => string])[] = [
    ["memory, all servers shared", (size) => memory(size * sharedBytes)],
    ["memory, one server of its own each, not connected", (size) => memory(size * ownBytes)],
    ["memory, one stdio process of its own each", (size) => memory(size * (sharedBytes + processBytes))],
    [`calls a second, one in ${secondsPerCall} s each`, (size) => callsOf(size).toLocaleString("en")],
    ["cores that the host is busy with for them", (size) => amount(coresOf(size))],
    [
      `replicas with one core, ${usedCore * 100} % of it used`,
      (size) => Math.max(1, Math.ceil(coresOf(size) / usedCore)).toString(),
    ],
  ];
  const head = `| computed, for conversations at a time | ${sizes.map((size) => size.toLocaleString("en")).join(" | ")} |`;
  const lines = rows.map(([what, valueOf]) => `| ${what} | ${sizes.map(valueOf).join(" | ")} |`);
  return [head, `| --- |${" ---: |".repeat(sizes.length)}`, ...lines].join("\n");
}

function memory(bytes: number): string {
  if (bytes >= 1e12) return `${amount(bytes / 1e12)} TB`;
  return bytes >= 1e9 ? `${amount(bytes / 1e9)} GB` : `${amount(bytes / 1e6)} MB`;
}

/** Two digits that count, and no more: nothing here is more exact. */
function amount(value: number): string {
  return Number(value.toPrecision(2)).toLocaleString("en", { maximumFractionDigits: 4 });
}
