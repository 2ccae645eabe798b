import { readFile } from "node:fs/promises";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { toHtml } from "../src/report/html-report.ts";
import { toJson } from "../src/report/json-report.ts";
import { toJunit } from "../src/report/junit-report.ts";
import { toMarkdown } from "../src/report/markdown-report.ts";
import { toSarif } from "../src/report/sarif-report.ts";
import { toTerminal } from "../src/report/terminal-report.ts";
import { sampleReport } from "./sample-report.ts";

describe("toTerminal()", () => {
  it("shows the table, the first failure with its trace, the others, the preview and the verdict", () => {
    expect(toTerminal(sampleReport({ target: "node server.js" }))).toMatchInlineSnapshot(`
      "  stdio  ✗!✓  3 checks
        tools  ?-~  3 checks

        ✓ pass  ✗ fail  ! advice  ~ accepted  - not applicable  ? could not run

      ✗ stdio/purity [MUST] at byte 0: </code><script>alert("x")</script> & ' \\u0000 \`\`\`
          expected  Title of stdio/purity
          legal     this; or that
          why       A rule. (A section)
                    https://example.com/#rule
          fix       Mend it.
          prevents  1 check: tools/list
          trace
             0.000 s #1 · started node server.js (pid 1)
             0.012 s #1 ⇠ </code><script>alert("x")</script> & ' \\u0000 \`\`\`

      ! stdio/exit [SHOULD] still running
          expected  Title of stdio/exit
          legal     this; or that
          why       A rule. (A section)
                    https://example.com/#rule
          fix       Mend it.

      stale baseline tools/old: passes now; remove the entry

      Tools in a host
        group mcp:sample (sample), 1 tool
        mcp_sample_echo  ← "echo"
        ! tool-dropped: no name

      FAIL node server.js
      1 passed, 1 failed, 1 advice, 1 accepted, 1 not applicable, 1 could not run in 1.2 s (seed 7)
      "
    `);
  });

  it("shows as escapes what a terminal acts on, or nobody sees", () => {
    const name = "a\u001B]0;title\u0007\u009B31m\u202Eb\u200B\u2028\r\u{E0041}\uD800";
    const sample = sampleReport();
    const preview = { ...sample.preview, tools: [{ name: "mcp_sample_a", toolName: name }], groups: [], notes: [name] };
    const obstacle = { kind: "unreachable", reason: name, stderr: `${name}\nsecond` } as const;
    const [headline] = sample.headlines;
    if (headline === undefined) throw new Error("the sample has no headline");
    const headlines = [{ ...headline, observed: name }];
    for (const more of [{ obstacle }, {}]) {
      const text = toTerminal({ ...sample, headlines, target: name, unknownTools: [name], preview, ...more });
      expect(text).not.toMatch(/[\u0000-\u0009\u000B-\u001F\u007F-\u009F\u2028\u202E\u200B\u{E0041}\p{Cs}]/u);
      expect(text).toContain(String.raw`a\u001b]0;title\u0007\u009b31m\u202eb\u200b\u2028\u000d\u{e0041}\ud800`);
    }
  });

  it("names the areas of which no check applies in one line, as the Markdown does", () => {
    const sample = sampleReport();
    const results = sample.results.map((result) =>
      result.check.id.startsWith("tools/")
        ? { ...result, finding: { status: "not-applicable", reason: "no tools" } as const }
        : result,
    );
    expect(toTerminal({ ...sample, results })).toContain("3 checks\n  not applicable: tools\n");
    expect(toMarkdown({ ...sample, results })).toContain("\n\nNot applicable: tools\n");
  });

  it("counts advice as failures in a strict run", () => {
    expect(toTerminal(sampleReport({ strict: true }))).toContain("  stdio  ✗✗✓  3 checks");
    expect(toMarkdown(sampleReport({ strict: true }))).toContain("| stdio | 1 | 2 | 0 | 0 | 0 |");
  });

  it("tells an obstacle in place of the table", () => {
    const obstacle = { kind: "auth-required", reason: "HTTP 401" } as const;
    expect(toTerminal({ ...sampleReport(), obstacle, headlines: [], staleBaseline: [], target: "https://a/" })).toMatch(
      /^✗ The server asks for credentials: HTTP 401\n[^]*AUTH-REQUIRED https:\/\/a\/\n$/,
    );
  });
});

describe("toJson()", () => {
  it("keeps to report.schema.json, also with an obstacle", async () => {
    const schema: unknown = JSON.parse(await readFile(new URL("../report.schema.json", import.meta.url), "utf8"));
    const validate = new Ajv2020({ allErrors: true }).compile(schema as object);
    const obstacle = { kind: "unreachable", reason: "no", stderr: "x" } as const;
    for (const report of [sampleReport(), sampleReport({ obstacle, exitCode: 4, verdict: "incomplete" })]) {
      validate(JSON.parse(toJson(report)));
      expect(validate.errors).toBeNull();
    }
    validate({ ...sampleReport(), verdict: "good" });
    expect(validate.errors?.map(({ instancePath }) => instancePath)).toEqual(["/verdict"]);
  });
});

describe("toJunit()", () => {
  const xml = toJunit(sampleReport());

  it("is well-formed XML: balanced elements, and no character that XML forbids", () => {
    const open: string[] = [];
    for (const [, slash, name = "", rest = ""] of xml.matchAll(/<(\/?)([a-z]+)((?:\s[^<>]*)?)>/g)) {
      if (slash === "/" && open.at(-1) === name) open.pop();
      else if (!rest.endsWith("/")) open.push(`${slash}${name}`);
    }
    expect(open).toEqual([]);
    expect(xml).not.toMatch(/[\u0000-\u0008\u000B\u000C\u000E-\u001F]/);
    expect(xml.replaceAll(/<[^<>]*>/g, "")).not.toMatch(/[<>]/);
  });

  it("has a suite per area whose counts are those of its cases", () => {
    expect(xml.match(/<testsuite [^>]*>/g)).toEqual([
      '<testsuite name="stdio" tests="3" failures="1" errors="0" skipped="0" time="0.015">',
      '<testsuite name="tools" tests="3" failures="0" errors="1" skipped="2" time="0.015">',
    ]);
    expect(xml.match(/<testcase /g)).toHaveLength(6);
    expect(xml.match(/<(?:failure|error|skipped) /g)).toEqual(["<failure ", "<error ", "<skipped ", "<skipped "]);
    expect(xml).toContain('<property name="advice" value="SHOULD: still running"/>');
  });
});

describe("toSarif()", () => {
  const log = JSON.parse(toSarif(sampleReport()));
  const [run] = log.runs;

  it("has the members that SARIF 2.1.0 requires, and rules that results point to", () => {
    expect(log).toMatchObject({ version: "2.1.0", $schema: "https://json.schemastore.org/sarif-2.1.0.json" });
    expect(log.runs).toHaveLength(1);
    expect(run.tool.driver).toMatchObject({ name: "@hostside/conformance", version: "1.2.3" });
    for (const { id, shortDescription, fullDescription, helpUri, defaultConfiguration } of run.tool.driver.rules) {
      expect([id, shortDescription.text, fullDescription.text].every((text) => text.length > 0)).toBe(true);
      expect(URL.canParse(helpUri)).toBe(true);
      expect(["error", "warning", "note"]).toContain(defaultConfiguration.level);
    }
    for (const { ruleId, ruleIndex, message, level, locations } of run.results) {
      expect(run.tool.driver.rules[ruleIndex].id).toBe(ruleId);
      expect(message.text).not.toBe("");
      expect(["error", "warning", "note"]).toContain(level);
      expect(locations[0].logicalLocations[0].fullyQualifiedName).toContain("node server.js");
    }
    expect(run.invocations).toEqual([
      { executionSuccessful: true, exitCode: 1, startTimeUtc: "2026-11-22T01:02:03.004Z" },
    ]);
  });

  it("reports failures, and suppresses those of the baseline with their reason", () => {
    expect(run.results.map(({ ruleId, level }: { ruleId: string; level: string }) => [ruleId, level])).toEqual([
      ["stdio/purity", "error"],
      ["stdio/exit", "warning"],
      ["tools/order", "error"],
    ]);
    expect(run.results[2].suppressions).toEqual([{ kind: "external", justification: "known since May" }]);
  });
});

describe("toHtml()", () => {
  const html = toHtml(sampleReport());

  it("runs and loads nothing but its own: what a server said is text", () => {
    expect(html.match(/<script/g)).toHaveLength(1);
    expect(html).not.toContain('alert("x")</script>');
    expect(html).not.toMatch(/\ssrc=|<link|@import|url\(/);
    expect(html).toContain("default-src 'none'");
  });

  it("leads from every headline and cell to its check", () => {
    const targets = new Set(Array.from(html.matchAll(/ id="([^"]+)"/g), ([, id]) => id));
    const links = Array.from(html.matchAll(/href="#([^"]+)"/g), ([, id]) => id);
    expect(links.length).toBeGreaterThan(6);
    expect(links.filter((id) => !targets.has(id))).toEqual([]);
  });
});

describe("toMarkdown()", () => {
  it("keeps what a server said in code spans", () => {
    const markdown = toMarkdown(sampleReport());
    expect(markdown).toContain("- **stdio/purity** (MUST): ```` at byte 0: </code><script>");
    expect(markdown).toContain("| stdio | 1 | 1 | 1 | 0 | 0 |");
  });
});
