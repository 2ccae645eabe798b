/** The style sheet of the HTML report; follows the reader's light or dark preference. */
export const htmlStyle = `
:root { color-scheme: light dark; --page: #f6f7f9; --card: #fff; --text: #1b1f24; --faint: #636c76; --line: #d8dee4; --code: #eef1f4;
  --good: #1a7f37; --bad: #cf222e; --warn: #9a6700; --calm: #afb8c1; --link: #0969da; }
@media (prefers-color-scheme: dark) { :root { --page: #0d1117; --card: #161b22; --text: #e6edf3; --faint: #8d96a0; --line: #30363d;
  --code: #21262d; --good: #3fb950; --bad: #f85149; --warn: #d29922; --calm: #484f58; --link: #4493f8; } }
* { box-sizing: border-box; }
body { font: 15px/1.5 system-ui, sans-serif; margin: 0; background: var(--page); color: var(--text); }
a { color: var(--link); text-decoration: none; } a:hover { text-decoration: underline; }
code { font: 13px/1.5 ui-monospace, monospace; }
header { border-top: 6px solid var(--calm); background: var(--card); border-bottom: 1px solid var(--line); }
header.pass { border-top-color: var(--good); } header.fail { border-top-color: var(--bad); } header.incomplete { border-top-color: var(--warn); }
header > div, main { max-width: 72rem; margin: 0 auto; padding: 1.2rem 1.5rem; }
h1 { font-size: 1.05rem; font-weight: 500; margin: .2rem 0; overflow-wrap: anywhere; } h1 code { font-size: 1rem; }
h2 { font-size: 1.15rem; margin: 2rem 0 .7rem; }
.verdict { display: inline-block; margin: 0; font-size: 1.7rem; font-weight: 750; letter-spacing: .02em; text-transform: uppercase; }
.pass .verdict { color: var(--good); } .fail .verdict { color: var(--bad); } .incomplete .verdict { color: var(--warn); }
.faint { color: var(--faint); font-size: 13px; margin: .2rem 0; }
.counts { display: flex; flex-wrap: wrap; gap: .4rem 1.6rem; margin: .6rem 0; padding: 0; list-style: none; }
.counts b { font-size: 1.25rem; font-variant-numeric: tabular-nums; margin-right: .3rem; }
.counts .good b { color: var(--good); } .counts .bad b { color: var(--bad); } .counts .warn b { color: var(--warn); }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: .8rem 1.1rem; margin: .6rem 0; }
.mend { border-left: 4px solid var(--calm); }
.mend.fail { border-left-color: var(--bad); } .mend.advice, .mend.could-not-run { border-left-color: var(--warn); }
.mend h3 { font-size: 1rem; margin: 0; overflow-wrap: anywhere; } .level { color: var(--faint); font-size: 12px; font-weight: 400; }
.label { color: var(--faint); display: inline-block; min-width: 4.5rem; } .mend p { margin: .3rem 0; overflow-wrap: anywhere; }
.mend .seen { display: block; background: var(--code); border-radius: 6px; padding: .4rem .6rem; white-space: pre-wrap; }
.badge { display: inline-block; min-width: 4.2rem; padding: 0 .5rem; border-radius: 1rem; font-size: 12px; font-weight: 600; text-align: center; color: var(--text);
  background: var(--code); border: 1px solid var(--line); vertical-align: 1px; }
.badge.pass { background: var(--good); } .badge.fail { background: var(--bad); } .badge.advice, .badge.could-not-run { background: var(--warn); }
.badge.pass, .badge.fail, .badge.advice, .badge.could-not-run { color: #fff; border-color: transparent; }
@media (prefers-color-scheme: dark) { .badge.pass, .badge.fail, .badge.advice, .badge.could-not-run { color: #0d1117; } }
.matrix { display: grid; grid-template-columns: max-content 1fr; gap: .35rem 1rem; align-items: center; }
.cells { display: flex; flex-wrap: wrap; gap: 3px; }
.cell { width: 1.05rem; height: 1.05rem; border-radius: 3px; background: var(--calm); position: relative; overflow: hidden; }
.cell:hover { outline: 2px solid var(--link); }
.cell span { position: absolute; clip-path: inset(50%); }
.cell.pass { background: var(--good); } .cell.fail { background: var(--bad); } .cell.advice, .cell.could-not-run { background: var(--warn); }
.cell.could-not-run { background: repeating-linear-gradient(45deg, var(--warn) 0 3px, var(--card) 3px 5px); }
.cell.not-applicable { opacity: .45; }
.filters { display: flex; flex-wrap: wrap; gap: .3rem 1.2rem; margin: .6rem 0; }
details.check { background: var(--card); border: 1px solid var(--line); border-radius: 6px; margin: .3rem 0; padding: .35rem .8rem; }
details.check:target { outline: 2px solid var(--link); }
summary { cursor: pointer; overflow-wrap: anywhere; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1rem; margin: .6rem 0; }
dt { color: var(--faint); } dd { margin: 0; overflow-wrap: anywhere; white-space: pre-wrap; }
.scroll { overflow: auto; max-height: 32rem; border: 1px solid var(--line); border-radius: 6px; background: var(--card); }
table { border-collapse: collapse; font-size: 13px; width: 100%; }
th { position: sticky; top: 0; background: var(--card); color: var(--faint); font-weight: 500; }
th, td { text-align: left; vertical-align: top; padding: 2px .7rem; border-bottom: 1px solid var(--line); }
.wire td:first-child { text-align: right; font-variant-numeric: tabular-nums; color: var(--faint); }
.wire td:nth-child(3) { white-space: nowrap; color: var(--faint); }
@media (max-width: 40rem) { header > div, main { padding: 1rem; } .card { padding: .7rem .8rem; } .label { display: block; } th, td { padding: 2px .35rem; }
  dl { grid-template-columns: 1fr; gap: 0; } dd { margin-bottom: .5rem; } .wire td:nth-child(2), .wire th:nth-child(2) { display: none; }
  tr.send td:nth-child(3), tr.receive td:nth-child(3) { font-size: 0; } tr.send td:nth-child(3)::before, tr.receive td:nth-child(3)::before { font-size: 13px; } }
td code { white-space: pre-wrap; overflow-wrap: anywhere; }
tr.send td:nth-child(3)::before { content: "→ "; } tr.receive td:nth-child(3)::before { content: "← "; }
tr.send code { color: var(--link); } tr.stderr code { color: var(--warn); } tr.stdout code { color: var(--bad); } tr.process code, tr.http code { color: var(--faint); }
`;

/** The script of the HTML report: the filters, and opening the check that a link points to. */
export const htmlScript = `
const boxes = [...document.querySelectorAll(".filters input")];
const checks = [...document.querySelectorAll("details.check")];
const show = () => {
  const shown = new Set(boxes.filter((box) => box.checked).map((box) => box.value));
  for (const check of checks) check.hidden = !shown.has(check.dataset.outcome);
};
for (const box of boxes) box.addEventListener("change", show);
const open = () => {
  const check = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!check) return;
  check.hidden = false;
  if ("open" in check) check.open = true;
  check.scrollIntoView();
};
addEventListener("hashchange", open);
show();
open();
`;
