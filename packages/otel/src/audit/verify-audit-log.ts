import { assertKnownOptions, isPlainObject, type Fields } from "@toolport/core/implement";
import { hasCode, hashLine, importAuditKey, noLines, type AuditHead, type AuditKey } from "./audit-line.ts";

/** What a log is verified against. */
export interface VerifyAuditOptions {
  /** The key that it was written with. Without one, whoever can write the log could have written all of it anew. */
  readonly key?: Uint8Array | string | undefined;
  /** Where the log stood before its first line, when earlier files of it are elsewhere. Default: it begins with line 1. */
  readonly after?: AuditHead | undefined;
  /** Where it stood at some time, as it was kept somewhere else. A log that does not come that far, or by another line, was cut or replaced. */
  readonly reaches?: AuditHead | undefined;
}

/** What became of it. */
export type AuditVerdict =
  | { readonly ok: true; readonly lines: number; readonly head: AuditHead }
  /** `line` counts from 1; all lines before it are as they were written. `head` is where the good part ends. */
  | { readonly ok: false; readonly line: number; readonly head: AuditHead; readonly problem: AuditProblem };

/**
 * `cut-off`: the last line has no end; `malformed`: no line of such a log; `wrong-sequence`: a line is missing, doubled or elsewhere; `broken-chain`: the line before it is not the one that was
 * there when it was written; `wrong-code`: not written with this key; `too-short`: it ends before `reaches`; `replaced`: another line stands where `reaches` was.
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
 * Reads a log from its beginning, in pieces of any size, and says where the first line is that is not as it was written. Throws a `TypeError` for options, and what reading throws.
 *
 * What it proves: with the key, that nobody without it changed, removed, added or moved a line before the last one that stands there. Without one, only that the lines fit together. That
 * nothing is missing at the end is known only by `reaches`; and that what was written is true, by nothing.
 */
export async function verifyAuditLog(
  pieces: Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>,
  options: VerifyAuditOptions = {},
): Promise<AuditVerdict> {
  assertKnownOptions("verifyAuditLog()", options, fields);
  const { after = noLines, reaches } = options;
  const key = options.key === undefined ? undefined : await importAuditKey(options.key);
  let head = after;
  let lines = 0;
  const wrong = (problem: AuditProblem): AuditVerdict => ({ ok: false, line: lines + 1, head, problem });
  for await (const { text, isWhole } of splitLines(typeof pieces === "string" ? [pieces] : pieces)) {
    if (!isWhole) return wrong(text.length > longestLine ? "malformed" : "cut-off");
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

interface ReadLine {
  readonly text: string;
  /** It has a line feed. */
  readonly isWhole: boolean;
}

async function* splitLines(
  pieces: Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>,
): AsyncGenerator<ReadLine> {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  let held = "";
  for await (const piece of pieces) {
    held += typeof piece === "string" ? piece : decoder.decode(piece, { stream: true });
    const parts = held.split("\n");
    held = parts.pop() ?? "";
    for (const text of parts) yield { text, isWhole: true };
    if (held.length > longestLine) break;
  }
  if (held !== "") yield { text: held, isWhole: false };
}
