import { truncateText } from "@hostside/core";
import { fixOf, type CheckResult } from "../engine/check.ts";
import type { HostPreview, Headline, RunReport } from "../engine/run-report.ts";
import type { TraceEvent } from "../engine/trace.ts";
import { describeUncalled, outcomeOf, seconds, splitAreas, type Outcome } from "./outcome.ts";
import { htmlScript, htmlStyle } from "./html-page.ts";
import { xmlText } from "./xml-text.ts";

/**
 * The report as one HTML file without any outside resource: what to mend, the matrix of checks with
 * a filter, a section per check with what is legal, what was observed and its slice of the trace,
 * the host preview, and the messages in the order of time. Everything a server said is escaped text.
 */
export function toHtml(report: RunReport): string {
  const { verdict, target } = report;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'">
<title>${xmlText(`${verdict.toUpperCase()}: ${target}`)}</title>
<style>${htmlStyle}</style>
</head>
<body>
<header class="${verdict}"><div>
<p class="verdict">${verdict}</p>
<h1><code>${xmlText(target)}</code></h1>
${counts(report)}
<p class="faint">${facts(report)}</p>
</div></header>
<main>
${problems(report)}
<h2 id="checks">Checks</h2>
${matrix(report)}
${describeUncalled(report)
  .map((line) => `<p class="faint">${xmlText(line)}</p>`)
  .join("\n")}
<div class="filters" role="group" aria-label="Show checks">${filters(report)}</div>
${report.results.map((result) => checkDetails(result, report.strict)).join("\n")}
${report.preview ? preview(report.preview) : ""}
<h2 id="timeline">Messages</h2>
${timeline(report.trace)}
</main>
<script>${htmlScript}</script>
</body>
</html>
`;
}

function counts({ counts: { passed, failed, advice, baselined, notApplicable, couldNotRun } }: RunReport): string {
  const shown: readonly (readonly [count: number, label: string, tone: string])[] = [
    [passed, "passed", "good"],
    [failed, "failed", "bad"],
    [advice, "advice", "warn"],
    [couldNotRun, "could not run", "warn"],
    [baselined, "accepted", ""],
    [notApplicable, "not applicable", ""],
  ];
  const items = shown.flatMap(([count, label, tone], at) =>
    count > 0 || at < 2 ? [`<li class="${count > 0 ? tone : ""}"><b>${count}</b>${label}</li>`] : [],
  );
  return `<ul class="counts">${items.join("")}</ul>`;
}

function facts({ identity, kit, startedAt, durationMs, seed, strict }: RunReport): string {
  const server = [identity?.name, identity?.version].filter((part) => part !== undefined).join(" ");
  const parts = [
    server,
    identity ? `speaks ${identity.protocolVersions.join(", ")}` : "",
    `${startedAt.slice(0, 16).replace("T", " ")} UTC`,
    seconds(durationMs, 1),
    `seed ${seed}`,
    strict ? "strict" : "",
    `${kit.name} ${kit.version}`,
  ];
  return parts
    .filter((part) => part !== "")
    .map(xmlText)
    .join(" · ");
}

function problems({ headlines, staleBaseline, unknownTools = [], obstacle, results, strict }: RunReport): string {
  const byId = new Map(results.map((result) => [result.check.id, result]));
  const cards = [
    ...(obstacle
      ? [card("fail", obstacle.kind, `${obstacle.reason}${obstacle.stderr ? `\n\n${obstacle.stderr}` : ""}`)]
      : []),
    ...headlines.flatMap((headline) => {
      const result = byId.get(headline.checkId);
      return result ? [problemCard(headline, result, outcomeOf(result, strict))] : [];
    }),
    ...staleBaseline.map((entry) => card("fail", "stale baseline", entry)),
    ...unknownTools.map((name) => card("could-not-run", "no such tool, named by --call", name)),
  ];
  return cards.length === 0 ? "" : `<h2 id="problems">Problems</h2>\n${cards.join("\n")}`;
}

function card(outcome: Outcome, title: string, text: string): string {
  return `<div class="card mend ${outcome}"><h3>${xmlText(title)}</h3><p><code class="seen">${xmlText(text)}</code></p></div>`;
}

function problemCard(
  { checkId, observed, fix, prevented }: Headline,
  { check }: CheckResult,
  outcome: Outcome,
): string {
  return `<div class="card mend ${outcome}">
<h3>${badge(outcome)} <a href="#${anchor(checkId)}"><code>${xmlText(checkId)}</code></a> <span class="level">${check.level}</span></h3>
<p><code class="seen">${xmlText(observed)}</code></p>
<p><span class="label">Expected</span> ${xmlText(check.title)}</p>
<p><span class="label">Fix</span> ${xmlText(fix)}</p>
${prevented.length > 0 ? `<p class="faint">Prevents ${prevented.length} more: ${xmlText(prevented.join(", "))}</p>` : ""}
</div>`;
}

function badge(outcome: Outcome): string {
  return `<span class="badge ${outcome}">${outcome.replaceAll("-", " ")}</span>`;
}

function matrix({ results, strict }: RunReport): string {
  const { owed, notApplicable } = splitAreas(results);
  const rows = owed.map(([area, ofArea]) => {
    const cells = ofArea.map((result) => {
      const outcome = outcomeOf(result, strict);
      const label = xmlText(`${result.check.id}: ${outcome}`);
      return `<a class="cell ${outcome}" href="#${anchor(result.check.id)}" title="${label}"><span>${label}</span></a>`;
    });
    return `<span>${xmlText(area)}</span><span class="cells">${cells.join("")}</span>`;
  });
  const rest =
    notApplicable.length > 0 ? `<p class="faint">Not applicable: ${xmlText(notApplicable.join(", "))}</p>` : "";
  return `<div class="card"><div class="matrix">${rows.join("\n")}</div>${rest}</div>`;
}

// What passed and what does not apply is a click away; the rest is what the reader came for.
const hiddenAtFirst: readonly Outcome[] = ["pass", "not-applicable"];

function filters({ results, strict }: RunReport): string {
  const totals = new Map<Outcome, number>();
  for (const result of results) {
    const outcome = outcomeOf(result, strict);
    totals.set(outcome, (totals.get(outcome) ?? 0) + 1);
  }
  return [...totals]
    .map(([outcome, count]) => {
      const checked = hiddenAtFirst.includes(outcome) ? "" : " checked";
      return `<label><input type="checkbox" value="${outcome}"${checked}> ${badge(outcome)} ${count}</label>`;
    })
    .join(" ");
}

function checkDetails(result: CheckResult, strict: boolean): string {
  const { check, finding, baselined, durationMs } = result;
  const outcome = outcomeOf(result, strict);
  const rows: readonly (readonly [label: string, text: string | undefined])[] = [
    [finding.status === "fail" ? "found" : "observed", "reason" in finding ? finding.reason : finding.observed],
    ["expected", finding.status === "fail" ? check.title : undefined],
    ["legal", check.legal.join("\n")],
    ["accepted", baselined],
    ["fix", finding.status === "fail" ? fixOf(result) : undefined],
    ["time", seconds(durationMs)],
  ];
  const shown = rows.flatMap(([label, text]) =>
    text === undefined ? [] : [`<dt>${label}</dt><dd>${xmlText(text)}</dd>`],
  );
  const { sentence, section, url } = check.requirement;
  const trace = "trace" in finding && finding.trace && finding.trace.length > 0 ? wireTable(finding.trace) : "";
  return `<details class="check" id="${anchor(check.id)}" data-outcome="${outcome}">
<summary>${badge(outcome)} <code>${xmlText(check.id)}</code> <span class="level">${check.level}</span> ${xmlText(lineOf(result))}</summary>
<dl>${shown.join("")}<dt>why</dt><dd>${xmlText(sentence)} <a href="${xmlText(url)}">${xmlText(section)}</a></dd></dl>
${trace}
</details>`;
}

// What was found of a failure, because what should hold reads as its opposite beside "fail".
function lineOf({ check, finding }: CheckResult): string {
  return finding.status === "fail" ? truncateText(finding.observed.replaceAll(/\s+/g, " "), 160) : check.title;
}

function preview({ tools, groups, notes, failure }: HostPreview): string {
  const rows = tools.map(
    ({ name, toolName }) => `<tr><td><code>${xmlText(name)}</code></td><td><code>${xmlText(toolName)}</code></td></tr>`,
  );
  return `<h2 id="preview">Tools in a host</h2>
${failure === undefined ? "" : card("fail", "unusable", failure)}
${groups.map(({ id, title, members }) => `<p>Group <code>${xmlText(id)}</code>: ${xmlText(title)}, ${members} tools</p>`).join("")}
${notes.length === 0 ? "" : `<ul>${notes.map((note) => `<li>${xmlText(note)}</li>`).join("")}</ul>`}
<div class="scroll"><table><thead><tr><th>name for the model</th><th>name at the server</th></tr></thead><tbody>${rows.join("")}</tbody></table></div>`;
}

function timeline(events: readonly TraceEvent[]): string {
  if (events.length === 0) return "<p>Nothing was recorded.</p>";
  return `<p class="faint">${events.length} events</p>\n${wireTable(events)}`;
}

function wireTable(events: readonly TraceEvent[]): string {
  const rows = events.map(
    ({ atMs, session, kind, text }) =>
      `<tr class="${kind}"><td>${(atMs / 1000).toFixed(3)}</td><td>${xmlText(session)}</td><td>${kind}</td><td><code>${xmlText(text)}</code></td></tr>`,
  );
  return `<div class="scroll"><table class="wire"><thead><tr><th>s</th><th>session</th><th>what</th><th>text</th></tr></thead><tbody>${rows.join("\n")}</tbody></table></div>`;
}

function anchor(id: string): string {
  return `check-${id.replaceAll(/[^a-zA-Z0-9-]/g, "-")}`;
}
