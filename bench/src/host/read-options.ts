import { parseArgs } from "node:util";

/** What is measured, of whom, and how often. */
export interface BenchOptions {
  readonly rounds: number;
  /** The major version of Node to run on; `undefined`: this one. */
  readonly node: string | undefined;
  readonly peers: boolean;
  /** Whether what was measured is written beside what others measured before. */
  readonly merge: boolean;
  /** `undefined`: all of them, as for the next two. */
  readonly part: readonly string[] | undefined;
  readonly only: readonly string[] | undefined;
  readonly of: readonly string[] | undefined;
}

/** What there is to choose from. */
export interface Choices {
  readonly part: readonly string[];
  /** By the part in which they are measured. */
  readonly only: Readonly<Record<string, readonly string[]>>;
  /** Contenders that are always there. */
  readonly of: readonly string[];
  /** Those that are there with `--peers`. */
  readonly peers: readonly string[];
}

/**
 * The options of a command line, or what to print in place of a measurement: the usage, or what is
 * wrong.
 */
export function readOptions(
  args: readonly string[],
  choices: Choices,
): { readonly options: BenchOptions } | { readonly usage: string } | { readonly mistake: string } {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        rounds: { type: "string", default: "3" },
        node: { type: "string" },
        peers: { type: "boolean", default: false },
        merge: { type: "boolean", default: false },
        part: { type: "string" },
        only: { type: "string" },
        of: { type: "string" },
        help: { type: "boolean", short: "h", default: false },
      },
    });
    if (values.help) return { usage: usageOf(choices) };
    const { rounds, node, peers, merge, part, only, of } = values;
    const parts = chosen("part", part, choices.part);
    const options = {
      rounds: positive("rounds", rounds),
      node,
      peers,
      merge,
      part: parts,
      only: chosen("only", only, Object.values(choices.only).flat()),
      of: chosen("of", of, [...choices.of, ...choices.peers]),
    };
    const reached = (parts ?? choices.part).flatMap((name) => choices.only[name] ?? []);
    const unreached = options.only?.find((id) => !reached.includes(id));
    if (unreached !== undefined) throw new TypeError(`${unreached} of --only is in no part of --part ${part}`);
    const absent = options.of?.find((id) => !peers && choices.peers.includes(id));
    if (absent !== undefined) throw new TypeError(`${absent} is one of the peers, which want --peers`);
    return { options };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { mistake: `bench: ${message}\nbench --help lists what there is.\n` };
  }
}

function positive(name: string, value: string): number {
  if (/^[1-9]\d*$/.test(value)) return Number(value);
  throw new TypeError(`--${name} ${JSON.stringify(value)} is no whole number above 0`);
}

function chosen(
  name: "part" | "only" | "of",
  value: string | undefined,
  there: readonly string[],
): readonly string[] | undefined {
  const names = value?.split(",");
  const unknown = names?.find((one) => !there.includes(one));
  if (unknown === undefined) return names;
  throw new TypeError(`--${name} has no ${JSON.stringify(unknown)}; it has ${there.join(", ")}`);
}

function usageOf({ part, only, of, peers }: Choices): string {
  return `pnpm bench [--rounds N] [--node MAJOR] [--peers] [--part NAMES] [--only NAMES] [--of NAMES] [--merge]

NAMES are separated by commas. What was measured whole goes into bench/results/host.json and docs/explanation/benchmarks.md. With --only or --of nothing
is written, but with --merge: rows of speed and neighbours then stand beside those of others, which keep their day.

  --rounds N     how often each row is measured; default 3
  --node MAJOR   the version of Node to run on, from npm; default: this one
  --peers        beside the peers of bench/peers, too (pnpm bench:peers installs them)
  --part         ${part.join(", ")}
  --only         ${Object.values(only).flat().join(", ")}
  --of           ${of.join(", ")}; with --peers also ${peers.join(", ")}
`;
}
