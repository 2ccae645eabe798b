import { fromBase64 } from "./base64-echoes.ts";
import { isCredentialHeader } from "./header-rules.ts";
import { isSecretName } from "./secret-name.ts";
import type { ServerEntry } from "./server-spec.ts";
import { decoded, isReadable, namedTexts, parseJsonContainer, secretOfArgument, secretOfPair } from "./spec-secrets.ts";

const scheme = /^(?:basic|bearer|dpop|token)\s/i;
const signature = /^(?:x-amz-)?sig(?:nature)?$/i;
const headerFlag = /^(?:-H|--headers?)$/i;
// The name of no secret, though it ends like one.
const workingFolder = /^(?:old)?pwd$/i;
// Of a segment of a path, or of a cookie: shorter ones are words as well.
const shortestKey = 16;

/**
 * The credentials that a spec holds, as they are written and as a server may echo them, for a mask
 * of everything that comes back. Other than for a redactor of one connection, what only stands
 * beside a credential is none: a project in a URL, another member of the same JSON, a variable that
 * is no secret by its name or its look.
 */
export function credentialsOf(entry: ServerEntry): readonly string[] {
  if (entry.command !== undefined) {
    const { command, args = [], env = {} } = entry;
    const words = command.trim().split(/\s+/);
    return distinct([
      ...Object.entries(env).flatMap(([name, value]) =>
        ofNamed(isSecretName(name) && !workingFolder.test(name), value),
      ),
      ...[words, args].flatMap((list) => list.flatMap((word, at) => ofArgument(word, list[at - 1] ?? ""))),
    ]);
  }
  if (entry.url === undefined) return [];
  const { headers = {}, bearerToken = "", url } = entry;
  return distinct([
    ...Object.entries(headers).flatMap(([name, value]) => ofNamed(isCredentialHeader(name), value)),
    ...ofSecret(bearerToken),
    ...ofText(url),
  ]);
}

function distinct(texts: readonly string[]): readonly string[] {
  return Array.from(new Set(texts.filter((text) => text !== "")));
}

function ofNamed(isSecret: boolean, value: string): readonly string[] {
  return isSecret ? ofSecret(value) : ofText(value);
}

function ofArgument(argument: string, before: string): readonly string[] {
  const header = headerFlag.test(before) ? argument : /^--headers?=(.*)$/is.exec(argument)?.[1];
  if (header?.includes(":") === true) {
    const at = header.indexOf(":");
    return ofNamed(isCredentialHeader(header.slice(0, at).trim()), header.slice(at + 1).trim());
  }
  const secret = secretOfArgument(argument, before);
  if (secret === undefined) return ofText(argument);
  // By its look alone the name of a project is one, too.
  return secret === argument && isReadable(argument) && !isSecretName(before)
    ? []
    : [...ofSecret(secret), ...ofText(argument)];
}

/**
 * Of a value that is secret as a whole: "Bearer abc" is echoed as "abc" as well, a cookie as one of
 * its values.
 */
function ofSecret(value: string): readonly string[] {
  const whole = value.trim();
  const cookies = whole.includes(";") ? whole.split(";").map((pair) => pair.slice(pair.indexOf("=") + 1).trim()) : [];
  return [value, whole, ...ofScheme(whole), ...cookies.filter(({ length }) => length >= shortestKey), ...ofText(whole)];
}

/** Of a text whose own name tells nothing. */
function ofText(text: string): readonly string[] {
  const whole = text.trim();
  const at = whole.indexOf("=");
  const value = at > 0 && !/\s/.test(whole.slice(0, at)) ? whole.slice(at + 1) : "";
  return [whole, value].flatMap((part) => [
    ...(/\s\S*\s/.test(part) ? [] : ofScheme(part)),
    ...ofUrl(part),
    ...[...part.split(";"), ...part.split(/\s+/)].map(secretOfPair),
    ...ofJson(part),
  ]);
}

function ofScheme(text: string): readonly string[] {
  if (!scheme.test(text)) return [];
  const credentials = text.slice(text.search(/\s/)).trim();
  const pair = /^basic/i.test(text) ? fromBase64(credentials) : undefined;
  return [text, credentials, ...(pair === undefined ? [] : [pair, pair.slice(pair.indexOf(":") + 1)])];
}

function ofUrl(text: string): readonly string[] {
  if (!text.includes("://")) return [];
  // Some databases have several hosts in one.
  if (!URL.canParse(text)) return withPlain(/^[a-z][\w+.-]*:\/\/[^/@\s:]*:([^/@\s]+)@/i.exec(text)?.[1] ?? "");
  const { username, password, pathname, search, hash } = new URL(text);
  const parameters = [search, hash]
    .flatMap((part) => part.slice(1).split("&"))
    .map((parameter) => {
      const at = parameter.indexOf("=");
      const name = decoded(parameter.slice(0, Math.max(0, at)));
      return isSecretName(name) || signature.test(name) ? parameter.slice(at + 1) : "";
    });
  // What some servers are reached by, and nothing else.
  const keys = pathname.split("/").filter((part) => part.length >= shortestKey && /\d/.test(part) && !isReadable(part));
  return [isReadable(username) ? "" : username, password, ...parameters, ...keys].flatMap(withPlain);
}

function withPlain(text: string): readonly string[] {
  return [text, decoded(text), decoded(text.replaceAll("+", " "))];
}

function ofJson(text: string): readonly string[] {
  try {
    return namedTexts(parseJsonContainer(text)).flatMap((secret) => [secret, ...ofScheme(secret)]);
  } catch {
    return []; // Nested deeper than anybody writes.
  }
}
