import { existsSync } from "node:fs";
import type { CheckResult } from "../engine/check.ts";
import type { RunReport } from "../engine/run-report.ts";

const severity = { MUST: "error", SHOULD: "warning", HOST: "note" } as const;

/**
 * The report as SARIF 2.1.0 for code-scanning services: one rule per check, one result per failure.
 * Behaviour has no line of code, so every result has a logical location, the target. Code-scanning
 * services refuse results without a file: the physical location is the program, or `package.json`,
 * if `exists` says that there is such a file in the working directory.
 */
export function toSarif(report: RunReport, exists: (path: string) => boolean = existsSync): string {
  const file = fileOf(report.target, exists);
  const failures = report.results.filter(({ finding }) => finding.status === "fail");
  const rules = failures.map(({ check }) => ({
    id: check.id,
    shortDescription: { text: `Expected: ${check.title}` },
    fullDescription: { text: check.requirement.sentence },
    help: { text: check.fix },
    helpUri: check.requirement.url,
    defaultConfiguration: { level: severity[check.level] },
  }));
  const log = {
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [
      {
        tool: { driver: { name: report.kit.name, version: report.kit.version, rules } },
        invocations: [
          {
            executionSuccessful: report.verdict !== "incomplete",
            exitCode: report.exitCode,
            startTimeUtc: report.startedAt,
          },
        ],
        results: failures.map((result, ruleIndex) => sarifResult(result, { ruleIndex, target: report.target, file })),
      },
    ],
  };
  return `${JSON.stringify(log, null, 2)}\n`;
}

function sarifResult(
  { check, finding, baselined }: CheckResult,
  { ruleIndex, target, file }: { ruleIndex: number; target: string; file: string | undefined },
): object {
  const region = { startLine: 1 };
  return {
    ruleId: check.id,
    ruleIndex,
    level: severity[check.level],
    message: { text: finding.status === "fail" ? finding.observed : "" },
    locations: [
      {
        ...(file !== undefined && { physicalLocation: { artifactLocation: { uri: file }, region } }),
        logicalLocations: [{ fullyQualifiedName: target, kind: "module" }],
      },
    ],
    ...(baselined !== undefined && { suppressions: [{ kind: "external", justification: baselined }] }),
  };
}

function fileOf(target: string, exists: (path: string) => boolean): string | undefined {
  const isRelative = (part: string): boolean => /^[\w.@-][\w./@-]*\.\w+$/.test(part) && !part.includes("..");
  const named = target.includes("://") ? [] : target.split(" ").filter(isRelative);
  return [...named.map((file) => file.replace(/^\.\//, "")), "package.json"].find((file) => exists(file));
}
