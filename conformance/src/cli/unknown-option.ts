import { differByOneSlip } from "@hostside/core/implement";
import { parseArgs } from "node:util";

/**
 * What is wrong with the first option that is none of these, in one line; `undefined` when there is
 * no such option.
 */
export function unknownOption(argv: readonly string[], known: NonNullable<ParseConfig["options"]>): string | undefined {
  const { tokens } = parseArgs({
    args: [...argv],
    options: known,
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const unknown = tokens.find((token) => token.kind === "option" && !Object.hasOwn(known, token.name));
  if (unknown?.kind !== "option") return undefined;
  const { name, rawName } = unknown;
  const isNear = (one: string): boolean => differByOneSlip(name, one) || one.startsWith(name) || name.startsWith(one);
  const near = Object.keys(known).filter(isNear).slice(0, 3);
  return `there is no option ${rawName}${near.length === 0 ? "" : `; like it is --${near.join(" or --")}`}`;
}

type ParseConfig = NonNullable<Parameters<typeof parseArgs>[0]>;
