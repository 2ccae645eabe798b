import { redacted, type Redactor } from "@toolport/core";

/** Masks what it was made to mask, and what it learns later: the tokens of a connection, which no spec names. */
export interface SecretMemory {
  readonly redact: Redactor;
  /** Remembers a secret. The last eight are kept, because a server may echo one that was replaced since. */
  readonly learn: (secret: string) => void;
}

const mostLearned = 8;
// As for configured secrets: to mask a short text would garble every message.
const shortestSecret = 6;

/** Makes a memory that masks what `configured` does. */
export function createSecretMemory(configured: Redactor): SecretMemory {
  const learned: string[] = [];
  return {
    redact: (text) => learned.reduce((masked, secret) => masked.replaceAll(secret, redacted), configured(text)),
    learn(secret) {
      if (secret.length < shortestSecret || learned.includes(secret)) return;
      learned.unshift(secret);
      learned.length = Math.min(learned.length, mostLearned);
    },
  };
}
