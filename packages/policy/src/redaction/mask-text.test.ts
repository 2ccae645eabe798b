import { describe, expect, it } from "vitest";
import { createRedactionWorld, firstText, github, jwt, long, pem, textOf } from "../../test/redaction-world.ts";
import type { RedactionOptions } from "./create-redaction.ts";

async function masked(text: string, options?: RedactionOptions): Promise<string> {
  const { content } = await createRedactionWorld(options).send({ content: textOf(text) });
  return firstText(content).replaceAll(/\[secret:[0-9a-f]{16}\]/g, "•");
}

describe("what is masked in texts", () => {
  it.each([
    ["JSON", '{"user":"ann","password":"hunter2"}', '{"user":"ann","password":"•"}'],
    ["JSON with spaces", '{\n  "api_key" : "abc def",\n  "a": 1\n}', '{\n  "api_key" : "•",\n  "a": 1\n}'],
    ["a quotation mark within", '{"secret":"a\\"b","c":"d"}', '{"secret":"•","c":"d"}'],
    ["a number", '{"token": 123456, "a": 1}', '{"token": "•", "a": 1}'],
    ["an object", '{"authorization":{"type":"x","n":[1,"y"]},"a":"b"}', '{"authorization":"•","a":"b"}'],
    ["counts", '{"tokens": 12, "total_tokens": 40}', '{"tokens": 12, "total_tokens": 40}'],
    ["lists", '{"tokens": ["abc", "def"]}', '{"tokens": "•"}'],
    [
      "JSON in JSON",
      '{"t":"{\\"clientSecret\\":\\"abc\\",\\"a\\":\\"b\\"}"}',
      '{"t":"{\\"clientSecret\\":\\"•\\",\\"a\\":\\"b\\"}"}',
    ],
    ["an escaped key", '{"pass\\u0077ord":"hunter2"}', '{"pass\\u0077ord":"•"}'],
    ["truncated JSON", '{"a":1,"password":"hunter', '{"a":1,"password":"•'],
    ["a form", "user=ann&access_token=abc&x=1", "user=ann&access_token=•&x=1"],
    ["variables", "DB_PASSWORD=hunter2\nLEVEL=info", "DB_PASSWORD=•\nLEVEL=info"],
    ["YAML", "password: hunter2\nuser: ann", "password: •\nuser: ann"],
    [
      "headers",
      "X-Api-Key: abc\nAuthorization: Bearer abc\nAccept: */*",
      "X-Api-Key: •\nAuthorization: Bearer •\nAccept: */*",
    ],
    ["prose", "the API key: abc123", "the API key: •"],
    ["XML", "<user>ann</user><password>x y</password>", "<user>ann</user><password>•</password>"],
    ["hashes", `{'token' => 'abc', "user" => "ann"}`, `{'token' => '•', "user" => "ann"}`],
    ["cursors", '{"nextPageToken":"abc","next_token":"d"}', '{"nextPageToken":"abc","next_token":"d"}'],
    [
      "code",
      "const token = getToken(); token: string; f(password=password)",
      "const token = getToken(); token: string; f(password=password)",
    ],
    ["comparisons", 'if (token === "abc") {}', 'if (token === "abc") {}'],
    ["nothing", "tokenise the password and the secret, please", "tokenise the password and the secret, please"],
    ["an empty value", '{"password":""}', '{"password":""}'],
  ])("%s", async (_, text, expected) => {
    expect(await masked(text)).toBe(expected);
  });

  it.each([
    ["AWS", "AKIAIOSFODNN7EXAMPLE"],
    ["GitHub", github],
    ["GitHub, fine-grained", `github_pat_${long.slice(0, 22)}_${long.slice(0, 59)}`],
    ["GitLab", `glpat-${long.slice(0, 20)}`],
    ["Slack", `xoxb-123456789012-${long.slice(0, 24)}`],
    ["Google", `AIza${long.slice(0, 35)}`],
    ["Stripe", `sk_live_${long.slice(0, 24)}`],
    ["OpenAI", `sk-proj-${long.slice(0, 40)}`],
    ["OpenAI, old", `sk-${long.slice(0, 48)}`],
    ["Anthropic", `sk-ant-api03-${long.slice(0, 90)}`],
    ["npm", `npm_${long.slice(0, 36)}`],
    ["JWT", jwt],
    ["a private key", pem],
    ["a private key that is cut off", pem.slice(0, 120)],
  ])("the shape of %s", async (_, secret) => {
    expect(await masked(`see ${secret}`)).toBe("see •");
    const escaped = JSON.stringify({ t: `see\n${secret}` });
    expect(await masked(escaped)).toBe('{"t":"see\\n•'.concat(secret === pem.slice(0, 120) ? "" : '"}'));
  });

  it.each([
    ["a bearer", "curl -H 'bearer abcdefghijklmnop1'", "curl -H 'bearer •'"],
    ["a password in a URL", "https://ann:hunter2@example.com/a", "https://ann:•@example.com/a"],
    [
      "prose with the letters",
      "task-management-system-overview-page-template",
      "task-management-system-overview-page-template",
    ],
    ["a challenge", 'Bearer resource_metadata="https://a.example/1"', 'Bearer resource_metadata="https://a.example/1"'],
  ])("%s", async (_, text, expected) => {
    expect(await masked(text)).toBe(expected);
  });

  it("takes the product's keys as the last words of a name, in any case", async () => {
    expect(await masked('{"userPIN":"a","spin":"b","Pin":"c"}', { keys: ["pin"] })).toBe(
      '{"userPIN":"•","spin":"b","Pin":"•"}',
    );
  });
});
