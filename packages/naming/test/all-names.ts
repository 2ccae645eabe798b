import { foldCase } from "@hostside/core/implement";
import type { NameTable } from "../src/name-table.ts";

/** All local names of a table with A to Z lower-cased, each once. */
export function allNames({ servers }: NameTable): readonly string[] {
  const names = Array.from(servers.values()).flatMap((tools) => Array.from(tools.values(), foldCase));
  return Array.from(new Set(names));
}
