import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cpuSecondsOf } from "../../../test/cpu-seconds.ts";
import { createRedactor, createSecretMemory } from "./redaction.ts";
import type { ServerSpec } from "./server-spec.ts";
import { unescapeText } from "./find-secrets.ts";

const withToken = (bearerToken: string): ServerSpec => ({
  id: "s",
  type: "http",
  url: "https://example.com/mcp",
  bearerToken,
});
const withEnv = (env: Record<string, string>): ServerSpec => ({
  id: "s",
  type: "stdio",
  command: "x",
  env,
});
const withUrl = (url: string): ServerSpec => ({ id: "s", type: "http", url });

/** Ways of writing one character that leave the rest of a text alone. */
const spellings: readonly ((character: string) => string)[] = [
  (character) => character,
  (character) => (/[\w.~-]/.test(character) ? character : percent(character)),
  (character) => percent(character).toLowerCase(),
  (character) => percent(character),
  (character) => (character === " " ? "+" : /\w/.test(character) ? character : percent(character)),
  (character) => units(character, (code) => `\\u${code.toString(16).padStart(4, "0")}`),
  (character) => units(character, (code) => `\\u${code.toString(16).padStart(4, "0").toUpperCase()}`),
  (character) => (/["\\/]/.test(character) ? `\\${character}` : character),
  (character) => `&#${character.codePointAt(0)};`,
  (character) => `&#x${character.codePointAt(0)?.toString(16)};`,
  (character) => `&#X${character.codePointAt(0)?.toString(16).toUpperCase().padStart(5, "0")};`,
  (character) => named.get(character) ?? character,
  (character) => ((character.codePointAt(0) ?? 0) < 256 ? `\\x${hex(character.charCodeAt(0))}` : character),
];
const named = new Map([
  ["&", "&amp;"],
  ["<", "&lt;"],
  [">", "&gt;"],
  ['"', "&quot;"],
  ["'", "&apos;"],
  ["/", "&sol;"],
  ["+", "&plus;"],
  ["=", "&equals;"],
]);
const hex = (code: number): string => code.toString(16).padStart(2, "0");
const percent = (character: string): string =>
  Array.from(new TextEncoder().encode(character), (byte) => `%${hex(byte).toUpperCase()}`).join("");
const units = (character: string, write: (code: number) => string): string =>
  Array.from({ length: character.length }, (_, index) => write(character.charCodeAt(index))).join("");
const spell = (text: string, ways: readonly number[]): string =>
  Array.from(text, (character, index) => spellings[ways[index % ways.length] ?? 0]?.(character)).join("");

// Any that a host may have: letters, digits, what the escapes are made of, and other scripts.
const secrets = fc
  .array(fc.constantFrom(...Array.from('abcXYZ0189+/=_-.~"\\&%<>;#u é€😀')), { minLength: 8, maxLength: 40 })
  .map((characters) => characters.join("").trim())
  .filter((secret) => secret.length >= 8 && new Set(secret).size > 4)
  // Of one that looks escaped itself, too little may be left to be told by; most of those are
  // masked all the same, as below.
  .filter((secret) => (unescapeText(secret.replaceAll("\\", "|"))?.text ?? secret).length >= 6)
  .filter((secret) => (unescapeText(secret)?.text ?? secret).length >= 6);
// A backslash before or after a secret may be left, in whatever spelling.
const bare = (text: string): string =>
  text.replaceAll(/\\?[ux](?:00)?5c|%(?:25)*5c|&(?:amp;|#38;|#x0*26;)?#(?:92|x0*5c);|\\/gi, "");
const encodings = fc.constantFrom("base64", "base64url");
const way = fc.nat(spellings.length - 1);

describe("createRedactor()", () => {
  it("masks a secret in any spelling, also one that changes from character to character", () => {
    fc.assert(
      // A raw backslash before a character in another spelling can mean two things.
      fc.property(secrets, fc.array(way, { minLength: 1, maxLength: 7 }), (any, ways) => {
        const secret = any.replaceAll("\\", "|");
        const text = `refused <${spell(secret, ways)}> here`;
        expect(bare(createRedactor(withEnv({ API_KEY: secret }))(text))).toBe("refused <[redacted]> here");
      }),
      { numRuns: 2000 },
    );
  });

  it("masks a secret that was written in one spelling, and then in another", () => {
    fc.assert(
      fc.property(secrets, way, way, (secret, inner, outer) => {
        const text = `<${spell(spell(secret, [inner]), [outer])}>`;
        expect(bare(createRedactor(withEnv({ API_KEY: secret }))(text))).toBe("<[redacted]>");
      }),
      { numRuns: 2000 },
    );
  });

  it.each([
    [String.raw`a\%aaa&+`, String.raw`a\\%aaa&+`],
    [String.raw`a&aX~\\\X`, String.raw`a&amp;aX~\\\X`],
  ])("masks %s, of which little is left when all that looks escaped in it is undone, as %s", (secret, echo) => {
    expect(createRedactor(withEnv({ API_KEY: secret }))(`<${echo}>`)).toBe("<[redacted]>");
  });

  it("masks a secret in the Base64 of any text around it, in both alphabets, escaped or not", () => {
    fc.assert(
      fc.property(secrets, fc.tuple(fc.string(), fc.string()), encodings, (secret, [before, after], encoding) => {
        const echo = Buffer.from(`${before}${secret}${after}`.toWellFormed()).toString(encoding);
        const redact = createRedactor(withEnv({ API_KEY: secret }));
        expect(redact(`Basic ${echo} refused`)).toBe("Basic [redacted] refused");
        expect(redact(`Basic ${encodeURIComponent(echo)} refused`)).toBe("Basic [redacted] refused");
      }),
      { numRuns: 2000 },
    );
  });

  it("changes nothing in a text without secrets, whatever escapes are in it", () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(..."%41|\\u0041|&amp;|&#65;|+|a|%|\\|&|=| |%E2|%82".split("|"))),
        (parts) => {
          const text = parts.join("");
          expect(createRedactor(withToken("nobody-says-this-1"))(text)).toBe(text);
        },
      ),
      { numRuns: 2000 },
    );
  });

  it.each<[string, ServerSpec, string]>([
    [
      "the password of a Basic header",
      {
        id: "srv",
        type: "http",
        url: "https://example.com",
        headers: { authorization: `Basic ${btoa("me:hunter2")}` },
      },
      "me may not use hunter2",
    ],
    ["a segment of the URL's path", withUrl("https://example.com/mcp/hunter2/sse"), "no /mcp/hunter2/sse here"],
    ["a token as the user of a URL", withEnv({ REPO_URL: "https://hunter2@example.com/x" }), "hunter2 was refused"],
    [
      "a header in JSON in a variable",
      withEnv({ HEADERS: '{"Authorization": "Bearer hunter2"}' }),
      "bad token hunter2",
    ],
    ["a connection string", withEnv({ DB: "Server=db;Password=hunter2" }), "login failed: hunter2"],
    [
      "a member of JSON in an argument",
      { id: "s", type: "stdio", command: "x", args: ['--config={"apiKey":"hunter2"}'] },
      "key hunter2",
    ],
    [
      "an argument that looks like a token",
      { id: "s", type: "stdio", command: "x", args: ["sk_live_hunter2hunter2hunter2"] },
      "sk_live_hunter2hunter2hunter2",
    ],
    [
      "a URL in an argument with a name",
      { id: "s", type: "stdio", command: "x", args: ["--url=https://example.com/?k=hunter2"] },
      "hunter2",
    ],
  ])("masks %s", (_, spec, text) => {
    expect(createRedactor(spec)(text)).not.toContain("hunter2");
  });

  it("leaves the values of variables alone whose names say that they are settings", () => {
    const spec = withEnv({ LOG_LEVEL: "verbose", GITHUB_HOST: "github.com", AWS_REGION: "eu-central-1" });
    expect(createRedactor(spec)("verbose: github.com in eu-central-1")).toBe("verbose: github.com in eu-central-1");
  });

  it("leaves words of a path alone", () => {
    expect(createRedactor(withUrl("https://example.com/v1/servers/files/mcp"))("servers/files")).toBe("servers/files");
  });
});

describe("createSecretMemory()", () => {
  it("masks what it learns from then on, the last 64, and no short text", () => {
    const { redact, learn } = createSecretMemory(withToken("configured"));
    learn("prod");
    for (let number = 0; number < 65; number += 1) {
      learn(`token-${number}-`);
      learn(`token-${number}-`);
    }
    expect(redact("configured prod token-0- token-1- token-64-")).toBe(
      "[redacted] prod token-0- [redacted] [redacted]",
    );
  });

  it("masks nothing while nothing is known", () => {
    expect(createSecretMemory().redact("anything")).toBe("anything");
  });
});

describe("200 kB of hostile text", () => {
  const fill = (piece: string): string => piece.repeat(Math.ceil(200_000 / piece.length));
  const redact = createRedactor(withToken("a+b/c=%41\\u0041&amp;hunter2"));

  // Each takes below a tenth of a second on a small machine; a match that is quadratic would take
  // half a minute.
  it.each([
    ["backslashes", fill("\\")],
    ["percent signs of percent signs", fill("%25")],
    ["nearly the secret", fill("a+b/c=%41\\u0041&amp;hunter")],
    ["the secret", fill("a+b/c=%41\\u0041&amp;hunter2")],
    ["its Base64", fill(btoa("a+b/c=%41\\u0041&amp;hunter2"))],
    ["entities of entities", fill("&amp;amp;")],
    ["an entity without end", `&#x${fill("0")}`],
    ["plain text", fill("a")],
  ])("is masked in linear time: %s", async (_, text) => {
    let redacted = text;
    expect(await cpuSecondsOf(() => (redacted = redact(text)))).toBeLessThan(5);
    expect(redacted).not.toContain("hunter2");
  });
});
