import { foldCase } from "@hostside/core/implement";
import type { NameRules } from "../schema/schema-profile.ts";
import { hashName } from "./hash-name.ts";

/**
 * The names under which tools are declared, in the order of their local names: each legal by
 * `rules`, and no two alike, whatever the case of their letters. A local name that is legal stays
 * as it is, whatever else is declared. One that is not has `_` for what is not allowed; where that
 * is too long, or is another tool's name, it ends in a hash of the local name.
 */
export function assignDeclaredNames(localNames: readonly string[], rules: NameRules): readonly string[] {
  const wanted = localNames.map((name) => legalName(name, rules));
  const wantedBy = new Map<string, number>();
  for (const name of wanted) wantedBy.set(foldCase(name), (wantedBy.get(foldCase(name)) ?? 0) + 1);
  const stays = (name: string, at: number): boolean => name === localNames[at] || wantedBy.get(foldCase(name)) === 1;
  const taken = new Set(wanted.filter(stays).map(foldCase));
  return wanted.map((name, at) => (stays(name, at) ? name : firstFree(localNames[at] ?? name, taken, rules)));
}

function firstFree(local: string, taken: Set<string>, rules: NameRules): string {
  for (let attempt = 1; ; attempt++) {
    const name = withHash(local, hashName(attempt === 1 ? local : `${local}#${attempt}`), rules);
    if (taken.has(foldCase(name))) continue;
    taken.add(foldCase(name));
    return name;
  }
}

function legalName(local: string, rules: NameRules): string {
  const name = withLegalStart(onlyLegal(local, rules), rules);
  return name.length > rules.maxLength || name === "" ? withHash(local, hashName(local), rules) : name;
}

function withHash(local: string, hash: string, rules: NameRules): string {
  const head = withLegalStart(onlyLegal(local, rules), rules).slice(0, rules.maxLength - hash.length - 1);
  return `${head === "" ? "tool" : head}_${hash}`;
}

function onlyLegal(name: string, { characters }: NameRules): string {
  return name.replaceAll(characters === "dashes" ? /[^A-Za-z0-9_-]/g : /[^A-Za-z0-9_]/g, "_");
}

function withLegalStart(name: string, { startsWithLetter }: NameRules): string {
  return startsWithLetter && /^[^A-Za-z_]/.test(name) ? `_${name}` : name;
}
