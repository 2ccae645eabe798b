import { redacted, truncateText } from "@hostside/core";
import { isPlainObject, isSecretName } from "@hostside/core/implement";

/** How data are captured. */
export interface CaptureRules {
  readonly redact: (text: string) => string;
  /** In UTF-16 units. */
  readonly maxLength: number;
}

/** Throws a `TypeError` that names a flag that is none, or `redact` that is no function. */
export function assertCapture(flags: Readonly<Record<string, unknown>>, redact: unknown): void {
  for (const [name, value] of Object.entries(flags)) {
    if (typeof value !== "boolean") throw new TypeError(`${name} must be true or false`);
  }
  if (typeof redact !== "function") throw new TypeError("redact must be a function");
}

/** Longest captured text, in UTF-16 units. */
export const longestCapture = 4096;
const deepest = 12;
// Longer than secrets are, keys of certificates among them.
const overlap = 8192;
const mostMembers = 200;

/**
 * Data as JSON that is safe to keep: values of members that sound secret are masked, texts go
 * through `redact`, and the whole is cut. Never throws.
 */
export function captureJson(value: unknown, rules: CaptureRules): string {
  try {
    const text = JSON.stringify(captureData(value, rules)) ?? "null";
    return truncateText(text, rules.maxLength);
  } catch {
    return "[not readable]";
  }
}

/** The same as data. Throws what `redact` throws. */
export function captureData(value: unknown, rules: CaptureRules, depth = 0): unknown {
  if (typeof value === "string") return captureText(value, rules);
  if (typeof value !== "object" || value === null) return typeof value === "bigint" ? String(value) : value;
  if (depth >= deepest) return "…";
  if (Array.isArray(value)) {
    return value.slice(0, mostMembers).map((item: unknown) => captureData(item, rules, depth + 1));
  }
  if (!isPlainObject(value)) return "…";
  const entries = Object.entries(value)
    .slice(0, mostMembers)
    .map(([name, member]) => [
      captureText(name, rules),
      isSecretName(name) ? redacted : captureData(member, rules, depth + 1),
    ]);
  return Object.fromEntries(entries);
}

/** A text, redacted and cut. */
export function captureText(text: string, { redact, maxLength }: CaptureRules): string {
  const longest = 4 * maxLength + overlap;
  if (text.length <= longest) return truncateText(redact(text).toWellFormed(), maxLength);
  // What redaction cannot know for a secret, because the first cut went through it, is not kept,
  // however much was masked before it.
  const masked = redact(truncateText(text, longest)).toWellFormed();
  return truncateText(masked, Math.min(maxLength, Math.max(1, masked.length - overlap)));
}
