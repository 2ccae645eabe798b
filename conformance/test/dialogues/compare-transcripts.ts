import type { Transcript, Turn } from "./transcript.ts";

// Whatever has a stream of its own comes when it comes; beside it, order means nothing.
const beside = new Set(["GET", "DELETE", "subscriptions/listen"]);

/** What is different, one sentence for each difference; `ours` is Hostside. */
export function compareTranscripts(ours: Transcript, theirs: Transcript): readonly string[] {
  const differences = new Set([
    ...compareTurns("client", ours.client, theirs.client),
    ...compareTurns("server", ours.server, theirs.server),
  ]);
  const order = (turns: readonly Turn[], others: readonly Turn[]): string =>
    JSON.stringify(turns.map(({ label }) => label).filter((label) => !beside.has(label) && has(others, label)));
  const [first, second] = [order(ours.client, theirs.client), order(theirs.client, ours.client)];
  const counted = [...differences].some((text) => text.startsWith("client sends"));
  if (first !== second && !counted) differences.add(`client: the order is ${first}, theirs ${second}`);
  return [...differences];
}

function compareTurns(from: string, ours: readonly Turn[], theirs: readonly Turn[]): readonly string[] {
  const labels = new Set([...ours, ...theirs].map(({ label }) => label));
  return Array.from(labels).flatMap((label) => {
    const own = ours.filter((turn) => turn.label === label);
    const other = theirs.filter((turn) => turn.label === label);
    const counts = own.length === other.length ? [] : [`${from} sends ${label}: ${own.length}, theirs ${other.length}`];
    return [...counts, ...own.flatMap((turn, index) => compareValues(`${from}: ${label}`, turn, other[index]))];
  });
}

function compareValues(what: string, ours: Turn, theirs: Turn | undefined): readonly string[] {
  if (theirs === undefined) return [];
  const paths = new Set([...ours.values.keys(), ...theirs.values.keys()]);
  return Array.from(paths).flatMap((path) => {
    const [own, other] = [ours.values.get(path), theirs.values.get(path)];
    return own === other ? [] : [`${what}: ${path}: ${say(own)}, theirs ${say(other)}`];
  });
}

function say(value: string | undefined): string {
  if (value === undefined) return "absent";
  return value.length > 160 ? `${value.slice(0, 160)}…` : value;
}

function has(turns: readonly Turn[], label: string): boolean {
  return turns.some((turn) => turn.label === label);
}
