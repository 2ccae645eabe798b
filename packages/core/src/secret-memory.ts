import { redacted, type Redactor } from "./redacted.ts";
import { findTraits, shortestSecret, traitsOf, type Trait } from "./find-secrets.ts";
import { createLazyMap } from "./lazy-collections.ts";
import type { ServerSpec } from "./server-spec.ts";
import { secretsOf } from "./spec-secrets.ts";

/**
 * Masks the secrets of one connection: those of its spec, and those that it learns. One per
 * connection, shared by all its parts.
 */
export interface SecretMemory {
  /** Masks every secret that is known by now, as {@linkcode createRedactor} says. */
  readonly redact: Redactor;
  /**
   * Has a secret masked from now on that no spec names: a token, a code, a key. The last 64 are
   * kept, because a server may echo one that was replaced since. Shorter ones than six UTF-16 units
   * are not: to mask them would garble every message.
   */
  readonly learn: (secret: string) => void;
}

const mostLearned = 64;

/**
 * A redactor for what one server may echo: its header values, bearer token and configured
 * environment values, arguments that are secrets by their name or by their look, and what is secret
 * in URLs. It knows them raw, escaped as JSON, percent encoding, forms and HTML escape, wholly or
 * in part and several times over, and within Base64. Of a secret that itself looks escaped
 * (`\\%aaa=au`), and of which fewer than six characters are left when that is undone, not every
 * mixture of escapes is known. Linear in the length of the text.
 */
export function createRedactor(spec: ServerSpec): Redactor {
  return createSecretMemory(spec).redact;
}

/** Makes a memory that begins with the secrets of a spec. */
export function createSecretMemory(spec?: ServerSpec): SecretMemory {
  const configured = spec === undefined ? [] : secretsOf(spec).flatMap((secret) => traitsOf(secret, 1));
  // In the order in which they were learned.
  const learned = createLazyMap<string, readonly Trait[]>();
  let traits = configured;
  return {
    redact: (text) => (traits.length === 0 ? text : mask(text, traits)),
    learn(secret) {
      if (secret.length < shortestSecret || learned.has(secret)) return;
      learned.set(secret, traitsOf(secret, 1));
      for (const oldest of learned.keys()) {
        if (learned.size <= mostLearned) break;
        learned.delete(oldest);
      }
      traits = [...configured, ...Array.from(learned.values()).flat()];
    },
  };
}

function mask(text: string, traits: readonly Trait[]): string {
  const owners = findTraits(text, traits);
  return owners === undefined ? text : replace(text, owners);
}

function replace(text: string, owners: Uint32Array): string {
  const parts: string[] = [];
  for (let at = 0; at < text.length;) {
    const isMasked = owners[at] === 1;
    const end = owners.indexOf(isMasked ? 0 : 1, at);
    const next = end === -1 ? text.length : end;
    parts.push(isMasked ? redacted : text.slice(at, next));
    at = next;
  }
  return parts.join("");
}
