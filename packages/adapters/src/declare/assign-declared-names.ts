import { foldCase } from "@hostside/core/implement";
import { hashName } from "../schema/hash-name.ts";
import type { NameRules } from "../schema/schema-profile.ts";

/**
 * Names that an API takes for the local names of tools, in their order. A legal name stays as it
 * is. Names that become alike, or are too long, get a hash of the whole local name.
 */
export function assignDeclaredNames(localNames: readonly string[], rules: NameRules): readonly string[] {
  const legal = localNames.map((name) => onlyLegal(name, rules));
  const wanted = legal.map((name, at) =>
    name.length > rules.maxLength || name === "" ? withHash(name, localNames[at] ?? "", rules) : name,
  );
  const wantedBy = new Map<string, number>();
  for (const name of wanted) wantedBy.set(foldCase(name), (wantedBy.get(foldCase(name)) ?? 0) + 1);
  const stays = (name: string, at: number): boolean => name === localNames[at] || wantedBy.get(foldCase(name)) === 1;
  const taken = new Set(wanted.filter(stays).map(foldCase));
  return wanted.map((name, at) => {
    if (stays(name, at)) return name;
    for (let attempt = 1; ; attempt++) {
      const local = localNames[at] ?? "";
      const hashed = withHash(legal[at] ?? "", attempt === 1 ? local : `${local}#${attempt}`, rules);
      if (taken.has(foldCase(hashed))) continue;
      taken.add(foldCase(hashed));
      return hashed;
    }
  });
}

function withHash(legal: string, key: string, { maxLength }: NameRules): string {
  const head = legal.slice(0, maxLength - 9);
  return `${head === "" ? "tool" : head}_${hashName(key)}`;
}

function onlyLegal(name: string, { characters, startsWithLetter }: NameRules): string {
  const legal = name.replaceAll(characters === "dashes" ? /[^A-Za-z0-9_-]/g : /[^A-Za-z0-9_]/g, "_");
  return startsWithLetter && /^[^A-Za-z_]/.test(legal) ? `_${legal}` : legal;
}
