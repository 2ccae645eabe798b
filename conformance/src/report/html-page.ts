/** The style sheet of the HTML report; follows the reader's light or dark preference. */
export const htmlStyle = `
:root { color-scheme: light dark; --good: #1a7f37; --bad: #cf222e; --warn: #9a6700; --faint: #6e7781; --line: #8884; }
@media (prefers-color-scheme: dark) { :root { --good: #3fb950; --bad: #f85149; --warn: #d29922; --faint: #8b949e; } }
body { font: 15px/1.5 system-ui, sans-serif; margin: 0; }
header, main { padding: 1rem 2rem; max-width: 75rem; margin: 0 auto; }
header { border-bottom: 6px solid var(--faint); }
header.pass { border-color: var(--good); } header.fail { border-color: var(--bad); } header.incomplete { border-color: var(--warn); }
h1 { font-size: 1.3rem; overflow-wrap: anywhere; margin: 0; }
.verdict { font-size: 2rem; font-weight: 700; margin: 0; text-transform: uppercase; }
.pass > .verdict { color: var(--good); } .fail > .verdict { color: var(--bad); } .incomplete > .verdict { color: var(--warn); }
.matrix { display: flex; flex-wrap: wrap; gap: 4px; }
.cell { width: 1.1rem; height: 1.1rem; border-radius: 3px; background: var(--faint); }
.cell span { position: absolute; clip-path: inset(50%); }
.cell.pass { background: var(--good); } .cell.fail { background: var(--bad); }
.cell.advice, .cell.could-not-run { background: var(--warn); } .cell.not-applicable { opacity: .4; }
.filters label { margin-right: 1rem; white-space: nowrap; }
details { border: 1px solid var(--line); border-left: 4px solid var(--faint); border-radius: 4px; margin: .3rem 0; padding: .3rem .7rem; }
details.pass { border-left-color: var(--good); } details.fail { border-left-color: var(--bad); }
details.advice, details.could-not-run { border-left-color: var(--warn); }
summary { cursor: pointer; overflow-wrap: anywhere; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .2rem 1rem; }
dt { color: var(--faint); } dd { margin: 0; overflow-wrap: anywhere; }
.scroll { overflow: auto; max-height: 28rem; }
table { border-collapse: collapse; font-size: 13px; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: 1px .6rem; border-bottom: 1px solid var(--line); }
td:first-child { text-align: right; font-variant-numeric: tabular-nums; }
td code { white-space: pre-wrap; overflow-wrap: anywhere; }
tr.send td:nth-child(3)::before { content: "→ "; } tr.receive td:nth-child(3)::before { content: "← "; }
tr.stderr code { color: var(--warn); } tr.stdout code { color: var(--bad); }
`;

/** The script of the HTML report: the filter, and opening the check that a link points to. */
export const htmlScript = `
const boxes = [...document.querySelectorAll(".filters input")];
const show = () => {
  const shown = new Set(boxes.filter((box) => box.checked).map((box) => box.value));
  for (const item of document.querySelectorAll("details[data-outcome]")) item.hidden = !shown.has(item.dataset.outcome);
};
for (const box of boxes) box.addEventListener("change", show);
const open = () => {
  const item = document.getElementById(location.hash.slice(1));
  if (item) { item.hidden = false; item.open = true; item.scrollIntoView(); }
};
addEventListener("hashchange", open);
open();
`;
