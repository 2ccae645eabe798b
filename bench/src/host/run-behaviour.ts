import { allBehaviours } from "./behaviours/all-behaviours.ts";
import type { CreateContender } from "./contender.ts";

// Usage: node run-behaviour.js <adapter file URL> <behaviour>; prints one line of JSON.
const [adapterUrl = "", id = ""] = process.argv.slice(2);
const behaviour = allBehaviours.find((candidate) => candidate.id === id);
if (behaviour === undefined) throw new TypeError(`no behaviour ${JSON.stringify(id)}`);
// A contender whose connection breaks may reject a promise that nobody holds. That is its
// behaviour, too, and must not end this.
const unhandled: unknown[] = [];
process
  .on("unhandledRejection", (error) => void unhandled.push(error))
  .on("uncaughtException", (error) => void unhandled.push(error));
const { create } = (await import(adapterUrl)) as { readonly create: CreateContender };
let name = "?";
const seen = await behaviour.run(async () => {
  const contender = await create();
  ({ name } = contender);
  return contender;
});
const escaped = unhandled.length === 0 ? "" : "; an error escapes as unhandled";
process.stdout.write(`\n${JSON.stringify({ name, seen: seen + escaped })}\n`, () => process.exit(0));
