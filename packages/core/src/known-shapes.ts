/** A piece of a text that is a secret. */
export interface SecretSpan {
  readonly start: number;
  /** The first UTF-16 unit behind it. */
  readonly end: number;
  /** What it means, without the escapes of the text around it: the same for the same secret. */
  readonly secret: string;
  /** What stands before and after the placeholder: quotation marks where a number of JSON was. */
  readonly quote?: string | undefined;
}

// Every alternative begins with letters of its own and fails within a bounded number of steps, or
// takes the whole run: linear.
const boundary = "(?<=^|[^A-Za-z0-9]|%[\\dA-Fa-f]{2}|\\\\[nrt])";
const tokens = new RegExp(
  [
    `${boundary}(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}(?![A-Za-z0-9])`,
    "gh[pousr]_[A-Za-z0-9]{36,}",
    "github_pat_[A-Za-z0-9_]{40,}",
    "gl(?:pat|dt|rt|cbt|ptt|soat)-[\\w-]{20,}",
    "xox[abeoprs](?:\\.xox[bp])?-[A-Za-z0-9-]{10,}",
    "xapp-[A-Za-z0-9-]{10,}",
    "AIza[\\w-]{35}(?![\\w-])",
    "(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{10,}",
    "whsec_[A-Za-z0-9+/]{24,}",
    `${boundary}sk-(?:[A-Za-z0-9]{32,}|(?:proj|svcacct|admin|ant|or)-[\\w-]{20,})`,
    "npm_[A-Za-z0-9]{36,}",
    "pypi-[\\w-]{50,}",
    "hf_[A-Za-z0-9]{30,}",
    "SG\\.[\\w-]{16,32}\\.[\\w-]{16,64}",
    "dop_v1_[a-f0-9]{64}",
  ].join("|"),
  "g",
);
// One start for each run of its characters, so that no run is read twice.
const webTokens = /(?<=^|[^\w-]|%[\da-f]{2}|\\[nrt])eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]{8,}/gi;
const bearers = /(?<=\bbearer\s{1,4})(?=\S*\d)[\w.~+/-]{16,}={0,2}(?![\w.~+/="-])/gi;
const basics = /(?<=\bbasic\s{1,4})(?:(?=\S*\d)[A-Za-z0-9+/]{12,}={0,2}|[A-Za-z0-9+/]{6,}={1,2})(?![\w+/="-])/gi;
const userInfos = /(?<=:\/\/[^\s/:@"'<>]{0,128}:)[^\s/@:"'<>]{1,512}(?=@)/g;

/** Finds what tells by its look that it is a secret. Linear in the length of the text. */
export function findKnownShapes(text: string): readonly SecretSpan[] {
  if (text.length < 16) return [];
  const found: SecretSpan[] = [];
  collect(text, tokens, found);
  if (text.includes("eyJ")) collect(text, webTokens, found);
  if (/bearer\s/i.test(text)) collect(text, bearers, found);
  if (/basic\s/i.test(text)) collect(text, basics, found);
  if (text.includes("://") && text.includes("@")) collect(text, userInfos, found);
  if (text.includes("PRIVATE KEY")) collectPrivateKeys(text, found);
  return found;
}

/** Finds private keys alone, which may be of any length. */
export function findPrivateKeys(text: string): readonly SecretSpan[] {
  const found: SecretSpan[] = [];
  if (text.includes("PRIVATE KEY")) collectPrivateKeys(text, found);
  return found;
}

// By `exec`: `matchAll` makes another expression for each text, which costs more than looking
// through a short one.
function collect(text: string, pattern: RegExp, found: SecretSpan[]): void {
  pattern.lastIndex = 0;
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    found.push({ start: match.index, end: pattern.lastIndex, secret: match[0] });
  }
}

const keyBegins = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;
const keyEnds = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;

// From its first line to its last; one whose last line is missing goes to the end of the text.
function collectPrivateKeys(text: string, found: SecretSpan[]): void {
  keyBegins.lastIndex = 0;
  for (let begin = keyBegins.exec(text); begin !== null; begin = keyBegins.exec(text)) {
    keyEnds.lastIndex = keyBegins.lastIndex;
    const end = keyEnds.exec(text) === null ? text.length : keyEnds.lastIndex;
    const secret = text.slice(begin.index, end).replaceAll(/\\+[nrt]|\s+/g, "");
    found.push({ start: begin.index, end, secret });
    keyBegins.lastIndex = end;
  }
}
