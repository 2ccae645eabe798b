import { fromBase64, isSecretName } from "./find-secrets.ts";
import { isJsonObject } from "./json.ts";
import type { ServerEntry } from "./server-spec.ts";

// The end of the name of a variable whose value is none.
const settingName = /(?:^|_)(?:env|host|lang|level|mode|port|region|tz)$/i;
// What nobody gives a name in an argument: 24 characters or more without a dot or a slash, letters
// and digits among them.
const tokenLook = /^(?=[^0-9]*[0-9])(?=[^a-z]*[a-z])[\w+=-]{24,}$/i;
// A part of a path that somebody reads: a word, a number of up to four digits, a version.
const readablePart = /^(?:[a-z]{1,15}|[A-Z][a-z]{1,14}|[A-Z]{1,8}|\d{1,4}|v\d{1,3})$/;

/** All that a spec holds and no text may show, as it is written and as it is meant. */
export function secretsOf(entry: ServerEntry): readonly string[] {
  return [...new Set(configuredSecrets(entry))];
}

/**
 * The value that an argument carries and that is secret by its name (`--token=abc`, `TOKEN=abc`,
 * `Authorization: abc`, or `abc` after `--token`) or by its look; `undefined` when there is none.
 * It is the end of the argument.
 */
export function secretOfArgument(argument: string, before: string | undefined): string | undefined {
  const [, name = "", value = ""] = /^([^=:\s]+)[=:]\s*(\S.*)$/s.exec(argument) ?? [];
  if (isSecretName(name)) return value;
  const followsFlag = before?.startsWith("-") === true && isSecretName(before) && !argument.startsWith("-");
  return followsFlag || tokenLook.test(argument) ? argument : undefined;
}

/**
 * Returns the value of a part of `Server=db;Password=abc`, or of `TOKEN="abc"`, if it is secret by
 * its name, and else an empty text.
 */
export function secretOfPair(pair: string): string {
  const at = pair.indexOf("=");
  const name = pair.slice(0, Math.max(0, at)).trim();
  if (name === "" || name.includes("://") || !isSecretName(name)) return "";
  return pair
    .slice(at + 1)
    .trim()
    .replaceAll(/^["']|["']$/g, "");
}

/**
 * A path with every segment masked that may be a secret: one that does not consist of words, small
 * numbers and versions.
 */
export function maskPath(pathname: string, mask: string): string {
  return pathname
    .split("/")
    .map((segment) => (isReadable(segment) ? segment : mask))
    .join("/");
}

function configuredSecrets(entry: ServerEntry): readonly string[] {
  if (entry.command !== undefined) {
    return [
      ...Object.entries(entry.env ?? {}).flatMap(([name, value]) =>
        settingName.test(name) ? urlSecrets(value) : variableSecrets(name, value),
      ),
      ...argumentSecrets(entry.args ?? []),
      // Where arguments do not belong, and where they are put all the same.
      ...argumentSecrets(entry.command.trim().split(/\s+/).slice(1)),
    ];
  }
  if (entry.url === undefined) return [];
  return [
    ...Object.values(entry.headers ?? {}).flatMap(valueSecrets),
    ...valueSecrets(entry.bearerToken?.trim() ?? ""),
    ...valueSecrets(entry.tls?.key?.trim() ?? ""),
    ...urlSecrets(entry.url),
  ];
}

function argumentSecrets(args: readonly string[]): readonly string[] {
  return args.flatMap((argument, index) => {
    const secret = secretOfArgument(argument, args[index - 1]);
    const [, value = ""] = /^[^=\s]+=(.*)$/s.exec(argument) ?? [];
    return [
      ...(secret === undefined ? [argument, value].flatMap(namedSecrets) : valueSecrets(secret)),
      ...[argument, value].flatMap(urlSecrets),
    ];
  });
}

// "Bearer abc" is echoed as a whole or as "abc" alone, that of the scheme Basic as `user:abc`, a
// cookie as one of its values.
function valueSecrets(value: string): readonly string[] {
  const [, scheme = "", credentials] = /^(\S+)\s+(\S.*)$/s.exec(value.trim()) ?? [];
  const pair = scheme.toLowerCase() === "basic" && credentials !== undefined ? fromBase64(credentials) : undefined;
  return [
    value,
    ...(credentials === undefined ? [] : [credentials]),
    ...(pair === undefined ? [] : [pair, pair.slice(pair.indexOf(":") + 1)]),
    ...membersOf(value),
    ...contentsOf(value),
  ];
}

// A variable may hold one header's value, a connection string, a URL, or the headers of a request
// as JSON.
function variableSecrets(name: string, value: string): readonly string[] {
  if (/^(?:basic|bearer|dpop|token)\s+\S/i.test(value)) return [value, ...valueSecrets(value.trim())];
  // A sentence, a word or a path of words is a setting, unless its name says otherwise.
  const isSetting = !isSecretName(name) && value.split(/[\s/]+/).every(isReadable);
  return [...(isSetting ? [] : [value]), ...(value.includes(";") ? membersOf(value) : []), ...contentsOf(value)];
}

function membersOf(value: string): readonly string[] {
  return Array.from(value.matchAll(/=([^;]+)/g), ([, member = ""]) => member.trim());
}

function contentsOf(value: string): readonly string[] {
  return [...urlSecrets(value), ...textsIn(parseJsonContainer(value)).flatMap(valueSecrets)];
}

// `{"apiKey": "abc"}` in an argument whose own name tells nothing.
function namedSecrets(argument: string): readonly string[] {
  return namedTexts(parseJsonContainer(argument)).flatMap(valueSecrets);
}

/** The JSON of a text that is an object or a list. */
export function parseJsonContainer(text: string): unknown {
  if (!/^\s*[{[]/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  return isJsonObject(value) ? Object.values(value).flatMap(textsIn) : [];
}

/** The texts under names of secrets, at any depth. */
export function namedTexts(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(namedTexts);
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([name, member]) => (isSecretName(name) ? textsIn(member) : namedTexts(member)));
}

// As they are written and as they are meant.
function urlSecrets(text: string): readonly string[] {
  if (!text.includes("://") || !URL.canParse(text)) return [];
  const { username, password, pathname, search, searchParams, hash } = new URL(text);
  const queries = [search.slice(1), hash.slice(1)].flatMap((part) =>
    Array.from(part.matchAll(/=([^&]+)/g), ([, value = ""]) => value),
  );
  const hidden = pathname.split("/").filter((segment) => !isReadable(segment));
  const user = isReadable(username) ? [] : [username, decoded(username)];
  return [
    ...user,
    password,
    decoded(password),
    ...queries,
    ...searchParams.values(),
    ...hidden,
    ...hidden.map(decoded),
  ];
}

/** Whether a part of a path consists of words, small numbers and versions. */
export function isReadable(segment: string): boolean {
  return segment === "" || segment.split(/[-_.~:@,]/).every((part) => part === "" || readablePart.test(part));
}

/** A text without percent encoding, where it has any. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
