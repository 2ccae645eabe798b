import { base64Echoes } from "./base64-echoes.ts";
import {
  dropBackslashes,
  dropHidden,
  joinBase64Lines,
  unescapeMarkup,
  unescapeText,
  type UnescapedText,
} from "./unescape-text.ts";

/** Secrets of fewer UTF-16 units than these stand in everything, and are never looked for. */
export const shortestSecret = 6;
// A secret of more than this is a document; its first and last part are told from anything else as
// well.
const longestSecret = 4096;
// JSON in JSON in a form is three.
const mostLayers = 4;
const base64Character = /[\w+/-]/;

/** A text by which a secret is told. */
export interface Trait {
  readonly text: string;
  /** It is a piece of Base64: what stands around it is part of the same. */
  readonly isBase64: boolean;
  /** The number of its secret, from 1. Of two that are found in one place the larger counts. */
  readonly owner: number;
}

/** By what a secret is told in any text. None for one that is too short. */
export function traitsOf(secret: string, owner: number): readonly Trait[] {
  const whole = secret.trim();
  const pieces = whole.length > longestSecret ? [whole.slice(0, longestSecret), whole.slice(-longestSecret)] : [whole];
  // Logs are read line by line.
  const lines = whole.includes("\n") ? whole.split("\n").map((line) => line.trim()) : [];
  const texts = [...pieces, ...lines].filter((text) => text.length >= shortestSecret);
  const echoes = pieces.filter((text) => text.length >= shortestSecret).flatMap(base64Echoes);
  return [
    ...withPlainForms(texts).map((text) => ({ text, isBase64: false, owner })),
    ...withPlainForms(echoes).map((text) => ({ text, isBase64: true, owner })),
  ];
}

// A secret that itself looks escaped is not the same any more when a text around it has been
// unescaped.
function withPlainForms(texts: readonly string[]): readonly string[] {
  const forms = new Set<string>();
  for (const text of texts.flatMap((each) => (each.includes("\\") ? [each, each.replaceAll("\\", "")] : [each]))) {
    let form: string | undefined = text;
    for (let layer = 0; form !== undefined && form.length >= shortestSecret && layer <= mostLayers; layer += 1) {
      forms.add(form);
      form = unescapeText(form)?.text;
    }
  }
  return [...forms];
}

/**
 * What is looked for in a text, and to which secret each of its UTF-16 units belongs; made when the
 * first is found.
 */
interface Findings {
  readonly traits: readonly Trait[];
  owners: Uint32Array | undefined;
}

/**
 * The number of the secret that each UTF-16 unit of a text belongs to, 0 for none; `undefined` when
 * there is none in it.
 */
export function findTraits(text: string, traits: readonly Trait[]): Uint32Array | undefined {
  if (traits.length === 0 || text.length < shortestSecret) return undefined;
  const findings: Findings = { traits, owners: undefined };
  findBelow(text, unescapeText, findings);
  // A secret may hold backslashes, or what looks like an escape: to undo every kind of escape at
  // once can leave too little to tell it by.
  if (text.includes("\\")) findBelow(text, unescapeMarkup, findings);
  return findings.owners;
}

/**
 * Looks for secrets in a text, and in what is left of it when layer after layer of escapes is
 * undone.
 */
function findBelow(source: string, undo: (text: string) => UnescapedText | undefined, findings: Findings): void {
  let text = source;
  let toSource = (index: number): number => index;
  for (let depth = 0; ; depth += 1) {
    const outer = toSource;
    find({ text, toSource: outer, source }, findings);
    for (const other of [dropBackslashes(text), joinBase64Lines(text), dropHidden(text)]) {
      if (other === undefined) continue;
      find({ text: other.text, toSource: (index) => outer(other.boundaryAt(index)), source }, findings);
    }
    const plain = depth < mostLayers ? undo(text) : undefined;
    if (plain === undefined) return;
    toSource = (index) => outer(plain.boundaryAt(index));
    text = plain.text;
  }
}

interface Layer {
  readonly text: string;
  readonly toSource: (index: number) => number;
  readonly source: string;
}

function find({ text, toSource, source }: Layer, findings: Findings): void {
  for (const trait of findings.traits) {
    const { length } = trait.text;
    for (let at = text.indexOf(trait.text); at !== -1; at = text.indexOf(trait.text, at + length)) {
      let [start, end] = [at, at + length];
      if (trait.isBase64) {
        while (start > 0 && base64Character.test(text.charAt(start - 1))) start -= 1;
        while (end < text.length && base64Character.test(text.charAt(end))) end += 1;
        while (text[end] === "=") end += 1;
      }
      findings.owners ??= new Uint32Array(source.length);
      own(findings.owners.subarray(toSource(start), toSource(end)), trait.owner);
      if (trait.isBase64) at = end - length;
    }
  }
}

function own(owners: Uint32Array, owner: number): void {
  for (let at = 0; at < owners.length; at += 1) if ((owners[at] ?? 0) < owner) owners[at] = owner;
}
