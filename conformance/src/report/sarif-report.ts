import type { CheckResult } from "../engine/check.ts";
import type { RunReport } from "../engine/run-report.ts";

const severity = { MUST: "error", SHOULD: "warning", HOST: "note" } as const;

/**
 * The report as SARIF 2.1.0 for code-scanning services: one rule per check, one result per failure.
 * A server's behaviour has no line of code, so results carry a logical location, the target; and
 * the program's file as a physical one, because services refuse results without, or `package.json`
 * where the target names no file of the project.
 */
export function toSarif(report: RunReport): string {
  const failures = report.results.filter(({ finding }) => finding.status === "fail");
  const rules = failures.map(({ check }) => ({
    id: check.id,
    shortDescription: { text: check.title },
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
        results: failures.map((result, ruleIndex) => sarifResult(result, { ruleIndex, target: report.target })),
      },
    ],
  };
  return `${JSON.stringify(log, null, 2)}\n`;
}

function sarifResult(
  { check, finding, baselined }: CheckResult,
  { ruleIndex, target }: { ruleIndex: number; target: string },
): object {
  return {
    ruleId: check.id,
    ruleIndex,
    level: severity[check.level],
    message: { text: finding.status === "fail" ? finding.observed : "" },
    locations: [
      {
        physicalLocation: { artifactLocation: { uri: fileOf(target) }, region: { startLine: 1 } },
        logicalLocations: [{ fullyQualifiedName: target, kind: "module" }],
      },
    ],
    ...(baselined !== undefined && { suppressions: [{ kind: "external", justification: baselined }] }),
  };
}

function fileOf(target: string): string {
  const isRelative = (part: string): boolean => /^[\w.@-][\w./@-]*\.\w+$/.test(part) && !part.includes("..");
  const file = target.includes("://") ? undefined : target.split(" ").find(isRelative);
  return file?.replace(/^\.\//, "") ?? "package.json";
}
