import type { CallContext } from "@hostside/core";
import { assertKnownOptions, type Fields } from "@hostside/core/implement";
import { readSelection, type ToolMatcher, type ToolSelection } from "../rules/select-tools.ts";

/** Finds secrets by a look of its own. */
export interface SecretDetector {
  /** For events. */
  readonly name: string;
  /**
   * Where secrets stand in a text, in UTF-16 units; `end` is behind the last. Asked with every text
   * of every result: be linear.
   */
  readonly find: (text: string) => Iterable<{ readonly start: number; readonly end: number }>;
}

/** What is masked in results, and how. Nothing that was masked is ever put back. */
export interface RedactionOptions {
  /**
   * Keys whose values are masked besides `token`, `authorization`, `password`, `secret`, `apikey`
   * and their like. In any case, with whatever between the words, and as the last words of a longer
   * name: `pin` is `user_pin`, too, and not `spin`.
   */
  readonly keys?: readonly string[] | undefined;
  /** The same for some tools. */
  readonly tools?: readonly { readonly tools: ToolSelection; readonly keys: readonly string[] }[] | undefined;
  /**
   * Secrets that the host knows, masked in every spelling: escaped, encoded, within Base64. At
   * least six UTF-16 units each. A function is asked for each result; of its answer those that are
   * shorter are not looked for, and a `part-failed` event says so, once. Empty texts are passed
   * over.
   */
  readonly values?: readonly string[] | ((context: CallContext | undefined) => readonly string[]) | undefined;
  /**
   * `"known"`, the default: what has the shape of well-known keys and tokens. A list is of more,
   * besides those.
   */
  readonly shapes?: "known" | "none" | readonly SecretDetector[] | undefined;
  /**
   * Whether anything is masked now; asked for each call. One that throws has it masked. Default:
   * always.
   */
  readonly when?: (() => boolean) | undefined;
  /**
   * The secret of the placeholders, at least 16 bytes. The same key gives the same placeholders in
   * every process. Default: a random one.
   */
  readonly key?: Uint8Array | undefined;
}

/** Options that were read. */
export interface RedactionRules {
  readonly keys: readonly string[];
  readonly tools: readonly { readonly matcher: ToolMatcher; readonly keys: readonly string[] }[];
  readonly values: (context: CallContext | undefined) => readonly string[];
  readonly hasValues: boolean;
  readonly knownShapes: boolean;
  readonly detectors: readonly SecretDetector[];
  readonly isOn: () => boolean;
  readonly key: Uint8Array;
}

const fields: Fields<RedactionOptions> = { keys: true, tools: true, values: true, shapes: true, when: true, key: true };
const toolFields = { tools: true, keys: true } as const;
const detectorFields: Fields<SecretDetector> = { name: true, find: true };
const shortestKey = 16;

/** Reads the options. Throws a `TypeError` that names the field. */
export function readRedaction(options: RedactionOptions): RedactionRules {
  assertKnownOptions("redact", options, fields);
  const { values = [], shapes = "known" } = options;
  if (typeof values !== "function") assertLong(readTexts(values, "redact.values"));
  return {
    keys: readKeys(options.keys ?? [], "redact.keys"),
    tools: readTools(options.tools),
    values:
      typeof values === "function"
        ? (context) => readTexts(values(context), "what redact.values() answered")
        : copied(values),
    hasValues: typeof values === "function" || values.length > 0,
    knownShapes: shapes !== "none",
    detectors: readDetectors(shapes),
    isOn: readWhen(options.when),
    key: readKey(options.key),
  };
}

function readWhen(when: unknown): RedactionRules["isOn"] {
  if (when === undefined) return () => true;
  if (typeof when !== "function") throw new TypeError("redact.when must be a function");
  return () => {
    try {
      return when() !== false;
    } catch {
      return true;
    }
  };
}

/** Shorter values would be found everywhere. */
export const shortestValue = 6;

function assertLong(values: readonly string[]): void {
  const at = values.findIndex((value) => value.length < shortestValue);
  if (at >= 0)
    throw new TypeError(`redact.values[${at}] is too short to be looked for: at least ${shortestValue} characters`);
}

function copied(values: readonly string[]): () => readonly string[] {
  const copy = [...values];
  return () => copy;
}

function readTools(tools: unknown): RedactionRules["tools"] {
  if (tools === undefined) return [];
  if (!Array.isArray(tools)) throw new TypeError("redact.tools must be a list");
  return (tools as NonNullable<RedactionOptions["tools"]>).map((entry, index) => {
    const place = `redact.tools[${index}]`;
    assertKnownOptions(place, entry, toolFields);
    return { matcher: readSelection(entry.tools, `${place}.tools`), keys: readKeys(entry.keys, `${place}.keys`) };
  });
}

function readKeys(keys: unknown, place: string): readonly string[] {
  const texts = readTexts(keys, place);
  const empty = texts.findIndex((key) => !/[\p{L}\p{N}]/u.test(key));
  if (empty >= 0) throw new TypeError(`${place}[${empty}] has neither a letter nor a digit`);
  return [...texts];
}

// No value is named: it is a secret.
function readTexts(texts: unknown, place: string): readonly string[] {
  if (Array.isArray(texts) && texts.every((text): text is string => typeof text === "string")) return texts;
  throw new TypeError(`${place} must be a list of texts`);
}

function readDetectors(shapes: unknown): readonly SecretDetector[] {
  if (shapes === "known" || shapes === "none") return [];
  if (!Array.isArray(shapes)) throw new TypeError('redact.shapes must be "known", "none" or a list of detectors');
  return (shapes as readonly SecretDetector[]).map((detector, index) => {
    const place = `redact.shapes[${index}]`;
    assertKnownOptions(place, detector, detectorFields);
    if (typeof detector.name !== "string" || detector.name === "") throw new TypeError(`${place}.name must be a text`);
    if (typeof detector.find !== "function") throw new TypeError(`${place}.find must be a function`);
    return detector;
  });
}

function readKey(key: unknown): Uint8Array {
  if (key === undefined) return crypto.getRandomValues(new Uint8Array(32));
  if (key instanceof Uint8Array && key.length >= shortestKey) return key.slice();
  throw new TypeError(`redact.key must be a Uint8Array of at least ${shortestKey} bytes`);
}
