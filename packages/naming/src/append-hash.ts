import { foldCase } from "@hostside/core/implement";
import { isLegalName, lastResortHead, type NamingStrategy } from "./naming-strategy.ts";

/**
 * A name with its hash at the end, cut to what the strategy allows; never in the middle of a
 * character.
 */
export function appendHash(plain: string, hash: string, strategy: NamingStrategy): string {
  const { hashSeparator, maxLength, trimCut } = strategy;
  const suffix = `${hashSeparator}${hash}`;
  const head = cut(plain, maxLength - suffix.length);
  const name = `${trimCut ? head.replace(/_+$/, "") : head}${suffix}`;
  return isLegalName(name, strategy) ? name : `${lastResortHead(strategy)}${suffix}`;
}

/** Whether a name, with A to Z lower-cased, has what may be a hash at its end. */
export function endsLikeHash(name: string, { hashLength, hashSeparator }: NamingStrategy): boolean {
  const end = name.slice(-hashLength);
  return name.endsWith(`${foldCase(hashSeparator)}${end}`) && /^[0-9a-f]+$/.test(end);
}

// Never between the halves of a surrogate pair.
function cut(text: string, length: number): string {
  const head = text.slice(0, length);
  return head.length < text.length && isHighSurrogate(head.charCodeAt(length - 1)) ? head.slice(0, -1) : head;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}
