import { fixOf, type CheckResult } from "../engine/check.ts";
import type { RunReport } from "../engine/run-report.ts";
import { areasOf } from "./outcome.ts";
import { xmlText } from "./xml-text.ts";

/**
 * The report as JUnit XML: a suite per area. Failures that fail the run are `failure`, checks that
 * could not run are `error`, those that do not apply and accepted failures are `skipped`; advice
 * passes, with the finding as a property.
 */
export function toJunit(report: RunReport): string {
  const suites = [...areasOf(report.results)].map(([area, results]) => suite(area, results, report.strict));
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="${xmlText(report.target)}" time="${seconds(report.durationMs)}">\n${suites.join("")}</testsuites>\n`;
}

function suite(area: string, results: readonly CheckResult[], strict: boolean): string {
  const cases = results.map((result) => ({ result, body: caseBody(result, strict) }));
  const count = (element: string): number => cases.filter(({ body }) => body.includes(`<${element}`)).length;
  const time = seconds(results.reduce((sum, { durationMs }) => sum + durationMs, 0));
  const attributes = `tests="${results.length}" failures="${count("failure ")}" errors="${count("error ")}" skipped="${count("skipped")}" time="${time}"`;
  return `  <testsuite name="${xmlText(area)}" ${attributes}>\n${cases.map(({ result, body }) => testcase(result, body)).join("")}  </testsuite>\n`;
}

function testcase({ check, durationMs }: CheckResult, body: string): string {
  const name = xmlText(`${check.id}: ${check.title}`);
  return `    <testcase classname="${xmlText(check.id)}" name="${name}" time="${seconds(durationMs)}">${body}</testcase>\n`;
}

function caseBody(result: CheckResult, strict: boolean): string {
  const { check, finding, baselined } = result;
  switch (finding.status) {
    case "pass":
      return "";
    case "not-applicable":
      return `<skipped message="${xmlText(finding.reason)}"/>`;
    case "could-not-run":
      return `<error message="${xmlText(finding.reason)}"/>`;
    case "fail":
      if (baselined !== undefined) return `<skipped message="${xmlText(`accepted: ${baselined}`)}"/>`;
      if (check.level === "MUST" || strict)
        return `<failure message="${xmlText(finding.observed)}">${xmlText(`${check.requirement.sentence}\n${check.requirement.url}\n${fixOf(result)}`)}</failure>`;
      return `<properties><property name="advice" value="${xmlText(`${check.level}: ${finding.observed}`)}"/></properties>`;
  }
}

function seconds(durationMs: number): string {
  return (durationMs / 1000).toFixed(3);
}
