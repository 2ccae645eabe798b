import type { CheckResult } from "../engine/check.ts";
import type { RunReport } from "../engine/run-report.ts";
import type { TraceEvent } from "../engine/trace.ts";
import { htmlScript, htmlStyle } from "./html-page.ts";
import { areasOf } from "./areas.ts";
import { outcomeOf } from "./outcome.ts";
import { xmlText } from "./xml-text.ts";

/**
 * The report as one HTML file without any outside resource: the matrix of checks with a filter, a section per check with what is
 * legal, what was observed and its slice of the trace, and the timeline of the wire. Everything a server said is escaped text.
 */
export function toHtml(report: RunReport): string {
  const title = `${report.verdict.toUpperCase()}: ${report.target}`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'">
<title>${xmlText(title)}</title>
<style>${htmlStyle}</style>
</head>
<body>
<header class="${report.verdict}">
<h1>${xmlText(report.target)}</h1>
<p class="verdict">${report.verdict}</p>
<p>${summary(report)}</p>
</header>
<main>
${headlines(report)}
<h2 id="checks">Checks</h2>
<p class="filters" role="group" aria-label="Show checks">${filters(report.results)}</p>
${[...areasOf(report.results)].map(([area, results]) => areaSection(area, results)).join("\n")}
<h2 id="timeline">Timeline of the wire</h2>
${timeline(report.trace)}
</main>
<script>${htmlScript}</script>
</body>
</html>
`;
}

function summary({ identity, kit, startedAt, durationMs, seed, strict }: RunReport): string {
  const server = [identity?.name, identity?.version].filter((part) => part !== undefined).join(" ");
  const revisions = identity?.protocolVersions.join(", ") ?? "";
  const parts = [
    server,
    revisions,
    `${(durationMs / 1000).toFixed(1)} s`,
    startedAt,
    `seed ${seed}`,
    strict ? "strict" : "",
    `${kit.name} ${kit.version}`,
  ];
  return parts
    .filter((part) => part !== "")
    .map(xmlText)
    .join(" · ");
}

function headlines({ headlines, staleBaseline }: RunReport): string {
  const items = [
    ...headlines.map(
      ({ checkId, observed, fix, prevented }) =>
        `<li><a href="#${anchor(checkId)}">${xmlText(checkId)}</a> ${xmlText(observed)}<br><em>${xmlText(fix)}</em>${
          prevented.length > 0 ? `<br>Prevented ${prevented.length} more.` : ""
        }</li>`,
    ),
    ...staleBaseline.map((entry) => `<li>Stale baseline: ${xmlText(entry)}</li>`),
  ];
  return items.length === 0 ? "" : `<h2 id="headlines">What to mend</h2>\n<ol>${items.join("\n")}</ol>`;
}

function filters(results: readonly CheckResult[]): string {
  const counts = new Map<string, number>();
  for (const result of results) counts.set(outcomeOf(result), (counts.get(outcomeOf(result)) ?? 0) + 1);
  return [...counts]
    .map(
      ([outcome, count]) =>
        `<label class="${outcome}"><input type="checkbox" value="${outcome}" checked> ${outcome.replaceAll("-", " ")} ${count}</label>`,
    )
    .join(" ");
}

function areaSection(area: string, results: readonly CheckResult[]): string {
  const cells = results
    .map(
      (result) =>
        `<a class="cell ${outcomeOf(result)}" href="#${anchor(result.check.id)}" title="${xmlText(result.check.id)}"><span>${outcomeOf(result)}</span></a>`,
    )
    .join("");
  return `<section><h3>${xmlText(area)}</h3><p class="matrix">${cells}</p>\n${results.map(checkDetails).join("\n")}</section>`;
}

function checkDetails(result: CheckResult): string {
  const { check, finding, baselined, durationMs } = result;
  const outcome = outcomeOf(result);
  const observed = finding.status === "pass" || finding.status === "fail" ? finding.observed : finding.reason;
  const rows = [
    ["observed", observed],
    ["legal", check.legal.join("; or ")],
    ["accepted", baselined],
    ["fix", outcome === "fail" || outcome === "advice" ? check.fix : undefined],
    ["time", `${durationMs.toFixed(0)} ms`],
  ].flatMap(([label, text]) =>
    text === undefined ? [] : [`<dt>${label}</dt><dd>${xmlText(text).replaceAll("&#10;", "<br>")}</dd>`],
  );
  const trace = "trace" in finding && finding.trace && finding.trace.length > 0 ? timeline(finding.trace) : "";
  return `<details id="${anchor(check.id)}" data-outcome="${outcome}" class="${outcome}"${outcome === "fail" ? " open" : ""}>
<summary><b>${outcome.replaceAll("-", " ")}</b> <code>${xmlText(check.id)}</code> <small>${check.level}</small> ${xmlText(check.title)}</summary>
<dl>${rows.join("")}<dt>why</dt><dd>${xmlText(check.requirement.sentence)} <a href="${xmlText(check.requirement.url)}">${xmlText(check.requirement.section)}</a></dd></dl>
${trace}
</details>`;
}

function timeline(events: readonly TraceEvent[]): string {
  if (events.length === 0) return "<p>Nothing was recorded.</p>";
  const rows = events.map(
    ({ atMs, session, kind, text }) =>
      `<tr class="${kind}"><td>${atMs.toFixed(0)}</td><td>${xmlText(session)}</td><td>${kind}</td><td><code>${xmlText(text)}</code></td></tr>`,
  );
  return `<div class="scroll"><table><thead><tr><th>ms</th><th>session</th><th>what</th><th>text</th></tr></thead><tbody>${rows.join("\n")}</tbody></table></div>`;
}

function anchor(id: string): string {
  return `check-${id.replaceAll(/[^a-zA-Z0-9-]/g, "-")}`;
}
