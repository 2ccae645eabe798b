import { assertKnownOptions, isPlainObject, type Fields } from "@hostside/core/implement";
import { hasCode, hashLine, importAuditKey, noLines, type AuditHead, type AuditKey } from "./audit-line.ts";

/** What a log is verified against. */
export interface VerifyAuditOptions {
  /**
   * The key that it was written with. Without one, whoever can write the log could have written all
   * of it anew.
   */
  readonly key?: Uint8Array | string | undefined;
  /**
   * Where the log stood before its first line, when earlier files of it are elsewhere. Default: it
   * begins with line 1.
   */
  readonly after?: AuditHead | undefined;
  /**
   * Where it stood at some time, as it was kept somewhere else. A log that does not come that far,
   * or by another line, was cut or replaced.
   */
  readonly reaches?: AuditHead | undefined;
}

/** What became of it. */
export type AuditVerdict =
  | { readonly ok: true; readonly lines: number; readonly head: AuditHead }
  /**
   * `line` counts from 1; all lines before it are as they were written. `head` is where the good
   * part ends.
   */
  | { readonly ok: false; readonly line: number; readonly head: AuditHead; readonly problem: AuditProblem };

/**
 * `cut-off`: the last line has no end; `malformed`: no line of such a log; `wrong-sequence`: a line
 * is missing, doubled or elsewhere; `broken-chain`: the line before it is not the one that was
 * there when it was written; `wrong-code`: not written with this key; `too-short`: it ends before
 * `reaches`; `replaced`: another line stands where `reaches` was.
 */
export type AuditProblem =
  | "cut-off"
  | "malformed"
  | "wrong-sequence"
  | "broken-chain"
  | "wrong-code"
  | "too-short"
  | "replaced";

const fields: Fields<VerifyAuditOptions> = { key: true, after: true, reaches: true };
const longestLine = 16 * 1024 * 1024;

/**
 * Reads a log from its beginning, in pieces of any size, and says where the first line is that is
 * not as it was written. Throws a `TypeError` for options, and what reading throws.
 *
 * What it proves: with the key, that nobody without it changed, removed, added or moved a line
 * before the last one that stands there. Without one, only that the lines fit together. That
 * nothing is missing at the end is known only by `reaches`; and that what was written is true, by
 * nothing.
 */
export async function verifyAuditLog(
  pieces: Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>,
  options: VerifyAuditOptions = {},
): Promise<AuditVerdict> {
  assertKnownOptions("verifyAuditLog()", options, fields);
  const { after = noLines, reaches } = options;
  for (const [name, known] of Object.entries({ after, reaches })) assertHead(name, known);
  const key = options.key === undefined ? undefined : await importAuditKey(options.key);
  let head = after;
  let lines = 0;
  const wrong = (problem: AuditProblem): AuditVerdict => ({ ok: false, line: lines + 1, head, problem });
  for await (const { text, isWhole } of splitLines(typeof pieces === "string" ? [pieces] : pieces)) {
    if (text === undefined) return wrong("malformed");
    if (!isWhole) return wrong("cut-off");
    const problem = await checkLine(text, head, key);
    if (problem !== undefined) return wrong(problem);
    const next = { seq: head.seq + 1, hash: await hashLine(text) };
    if (reaches?.seq === next.seq && reaches.hash !== next.hash) return wrong("replaced");
    head = next;
    lines += 1;
  }
  if (reaches !== undefined && reaches.seq > head.seq) return wrong("too-short");
  return { ok: true, lines, head };
}

async function checkLine(text: string, head: AuditHead, key: AuditKey | undefined): Promise<AuditProblem | undefined> {
  const line = parse(text);
  if (line === undefined) return "malformed";
  if (line.seq !== head.seq + 1) return "wrong-sequence";
  if (line.previous !== head.hash) return "broken-chain";
  return key === undefined || (await hasCode(text, key)) ? undefined : "wrong-code";
}

function parse(text: string): { readonly seq: number; readonly previous: string } | undefined {
  try {
    const line: unknown = JSON.parse(text);
    if (!isPlainObject(line)) return undefined;
    const { seq, previous, at } = line;
    const isLine = typeof seq === "number" && typeof previous === "string" && typeof at === "string" && "entry" in line;
    return isLine ? { seq, previous } : undefined;
  } catch {
    return undefined;
  }
}

function assertHead(name: string, head: AuditHead | undefined): void {
  if (head === undefined) return;
  if (!isPlainObject(head) || !Number.isSafeInteger(head["seq"]) || typeof head["hash"] !== "string") {
    throw new TypeError(`${name} must be the head of an audit log: { seq, hash }`);
  }
}
interface ReadLine {
  /** `undefined`: too long, or no UTF-8. */
  readonly text: string | undefined;
  /** It has a line feed. */
  readonly isWhole: boolean;
}

const lineFeed = 0x0a;
const encoder = new TextEncoder();

async function* splitLines(
  pieces: Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>,
): AsyncGenerator<ReadLine> {
  let held: Uint8Array[] = [];
  let length = 0;
  let halfPair = "";
  for await (const piece of pieces) {
    const text = halfPair + (typeof piece === "string" ? piece : "");
    halfPair = /[\ud800-\udbff]$/.exec(text)?.[0] ?? "";
    let rest = typeof piece === "string" ? encoder.encode(text.slice(0, text.length - halfPair.length)) : piece;
    for (let at = rest.indexOf(lineFeed); at !== -1; at = rest.indexOf(lineFeed)) {
      yield { text: decodeLine([...held, rest.subarray(0, at)]), isWhole: true };
      held = [];
      length = 0;
      rest = rest.subarray(at + 1);
    }
    if (rest.length === 0) continue;
    // A copy: whoever reads may fill the same buffer again.
    held.push(rest.slice());
    length += rest.length;
    if (length > longestLine) return yield { text: undefined, isWhole: false };
  }
  if (length > 0 || halfPair !== "") yield { text: "", isWhole: false };
}

// Strict: a byte that is no UTF-8 would else read as the sign that stands for one, and its change
// would not show.
function decodeLine(parts: readonly Uint8Array[]): string | undefined {
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  try {
    return new TextDecoder("utf-8", { ignoreBOM: true, fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
