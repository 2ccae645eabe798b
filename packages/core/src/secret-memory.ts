import { redacted, type Redactor } from "./redacted.ts";
import { base64Echoes } from "./base64-echoes.ts";
import type { ServerSpec } from "./server-spec.ts";
import { secretsOf } from "./spec-secrets.ts";
import { dropBackslashes, unescapeMarkup, unescapeText, type UnescapedText } from "./unescape-text.ts";

/** Masks the secrets of one connection: those of its spec, and those that it learns. One per connection, shared by all its parts. */
export interface SecretMemory {
  /** Masks every secret that is known by now, as {@linkcode createRedactor} says. */
  readonly redact: Redactor;
  /**
   * Has a secret masked from now on that no spec names: a token, a code, a key. The last 64 are kept, because a server may echo one
   * that was replaced since. Shorter ones than six UTF-16 units are not: to mask them would garble every message.
   */
  readonly learn: (secret: string) => void;
}

const mostLearned = 64;
const shortestSecret = 6;
// A secret of more than this is a document; its first and last part are told from anything else as well.
const longestSecret = 4096;
// JSON in JSON in a form is three.
const mostLayers = 4;
const base64Character = /[\w+/-]/;

/**
 * A redactor for what one server may echo: its header values, bearer token and configured environment values, arguments that are
 * secrets by their name or by their look, and what is secret in URLs. It knows them raw, escaped as JSON, percent encoding, forms
 * and HTML escape, wholly or in part and several times over, and within Base64. Of a secret that itself looks escaped (`\\%aaa=au`), and of
 * which fewer than six characters are left when that is undone, not every mixture of escapes is known. Linear in the length of the text.
 */
export function createRedactor(spec: ServerSpec): Redactor {
  return createSecretMemory(spec).redact;
}

/** Makes a memory that begins with the secrets of a spec. */
export function createSecretMemory(spec?: ServerSpec): SecretMemory {
  const configured = spec === undefined ? [] : secretsOf(spec).flatMap(traitsOf);
  // In the order in which they were learned.
  const learned = new Map<string, readonly Trait[]>();
  let traits = configured;
  return {
    redact: (text) => (traits.length === 0 ? text : mask(text, traits)),
    learn(secret) {
      if (secret.length < shortestSecret || learned.has(secret)) return;
      learned.set(secret, traitsOf(secret));
      for (const oldest of learned.keys()) {
        if (learned.size <= mostLearned) break;
        learned.delete(oldest);
      }
      traits = [...configured, ...Array.from(learned.values()).flat()];
    },
  };
}

/** A text by which a secret is told. */
interface Trait {
  readonly text: string;
  /** It is a piece of Base64: what stands around it is part of the same. */
  readonly isBase64: boolean;
}

function traitsOf(secret: string): readonly Trait[] {
  const whole = secret.trim();
  const pieces = whole.length > longestSecret ? [whole.slice(0, longestSecret), whole.slice(-longestSecret)] : [whole];
  // Logs are read line by line.
  const lines = whole.includes("\n") ? whole.split("\n").map((line) => line.trim()) : [];
  const texts = [...pieces, ...lines].filter((text) => text.length >= shortestSecret);
  const echoes = pieces.filter((text) => text.length >= shortestSecret).flatMap(base64Echoes);
  return [
    ...withPlainForms(texts).map((text) => ({ text, isBase64: false })),
    ...withPlainForms(echoes).map((text) => ({ text, isBase64: true })),
  ];
}

// A secret that itself looks escaped is not the same any more when a text around it has been unescaped.
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

/** What is looked for in a text, and which of its UTF-16 units are to be masked; made when the first is found. */
interface Findings {
  readonly traits: readonly Trait[];
  mask: Uint8Array | undefined;
}

function mask(text: string, traits: readonly Trait[]): string {
  const findings: Findings = { traits, mask: undefined };
  findBelow(text, unescapeText, findings);
  // A secret may hold backslashes, or what looks like an escape: to undo every kind of escape at once can leave too little to tell it by.
  if (text.includes("\\")) findBelow(text, unescapeMarkup, findings);
  return findings.mask === undefined ? text : replace(text, findings.mask);
}

/** Looks for secrets in a text, and in what is left of it when layer after layer of escapes is undone. */
function findBelow(source: string, undo: (text: string) => UnescapedText | undefined, findings: Findings): void {
  let text = source;
  let toSource = (index: number): number => index;
  for (let depth = 0; ; depth += 1) {
    const outer = toSource;
    find({ text, toSource: outer, source }, findings);
    const bare = dropBackslashes(text);
    if (bare !== undefined) {
      find({ text: bare.text, toSource: (index) => outer(bare.boundaryAt(index)), source }, findings);
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
      findings.mask ??= new Uint8Array(source.length);
      findings.mask.fill(1, toSource(start), toSource(end));
      if (trait.isBase64) at = end - length;
    }
  }
}

function replace(text: string, mask: Uint8Array): string {
  const parts: string[] = [];
  for (let at = 0; at < text.length;) {
    const isMasked = mask[at] === 1;
    const end = mask.indexOf(isMasked ? 0 : 1, at);
    const next = end === -1 ? text.length : end;
    parts.push(isMasked ? redacted : text.slice(at, next));
    at = next;
  }
  return parts.join("");
}
