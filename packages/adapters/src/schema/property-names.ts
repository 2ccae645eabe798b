import { hashName } from "../declare/hash-name.ts";
import type { PropertyNameRules } from "./schema-profile.ts";

/** Whether an API takes the name of a property. */
export function isLegalPropertyName(name: string, rules: PropertyNameRules): boolean {
  if (name === "" || name.length > rules.maxLength) return false;
  if (rules.startsWithLetter && !/^[A-Za-z_]/.test(name)) return false;
  for (const character of name) if (!isLegal(character, rules)) return false;
  return true;
}

/**
 * A name that an API takes in place of one that it does not, with a hash of that, so that it is no
 * other property's.
 */
export function legalPropertyName(name: string, rules: PropertyNameRules, attempt: number = 1): string {
  const head = Array.from(name.slice(0, rules.maxLength - 10), (character) =>
    isLegal(character, rules) ? character : "_",
  ).join("");
  const hash = hashName(attempt === 1 ? name : `${name}#${attempt}`);
  return `${rules.startsWithLetter && !/^[A-Za-z_]/.test(head) ? "_" : ""}${head}_${hash}`;
}

function isLegal(character: string, { others }: PropertyNameRules): boolean {
  return /^[A-Za-z0-9_]$/.test(character) || others.includes(character);
}
