// Fails when a link inside the repository leads nowhere: a path that is not there, or a #fragment that no heading has. Reads every
// Markdown file, with the paths it mentions as `packages/…`, and the mentions of docs/*.md in code comments. Links to other sites are
// not followed: a check must not depend on somebody else's server.
import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { reportProblems } from "./report-problems.mjs";
import { readTrackedFiles } from "./tracked-files.mjs";

/** @type {string[]} */
const problems = [];
let links = 0;

for (const file of readTrackedFiles("*.md")) {
  const raw = readFileSync(file, "utf8");
  const text = withoutCode(raw);
  for (const [, path = ""] of withoutCode(raw, { inline: false }).matchAll(
    /`((?:packages|fixtures|docs|scripts|test)\/[\w./-]+)`/g,
  )) {
    checkLink(file, `/${path}`);
  }
  // [text](target), [text](<target>), ![alt](target "title"), and [label]: target
  for (const [, inline, reference] of text.matchAll(
    /\]\(\s*<?([^)\s>]+)>?(?:\s+"[^"]*")?\s*\)|^\[[^\]]+\]:\s*(\S+)/gm,
  )) {
    const target = inline ?? reference ?? "";
    if (!/^[a-z][a-z\d+.-]*:/i.test(target)) checkLink(file, target);
  }
}
for (const file of readTrackedFiles("*.ts", "*.mjs", ":!*.test.ts")) {
  for (const [, target] of readFileSync(file, "utf8").matchAll(/[`(\s](docs\/[\w./-]+\.md(?:#[\w-]+)?)/g)) {
    checkLink(file, `/${target}`);
  }
}
reportProblems(problems, { count: links, noun: "links" });

/**
 * @param {string} file
 * @param {string} target A leading slash is the root of the repository.
 */
function checkLink(file, target) {
  links++;
  const [path = "", fragment] = decodeURI(target).split("#", 2);
  const resolved = path === "" ? file : path.startsWith("/") ? path.slice(1) : normalize(join(dirname(file), path));
  if (resolved.startsWith("..") || !existsSync(resolved)) {
    problems.push(`${file}: ${target} is not there`);
  } else if (fragment !== undefined && fragment !== "" && !hasAnchor(resolved, fragment)) {
    problems.push(`${file}: ${target} has no heading or anchor for #${fragment}`);
  }
}

/**
 * @param {string} file
 * @param {string} fragment
 */
function hasAnchor(file, fragment) {
  if (statSync(file).isDirectory()) return false;
  const text = readFileSync(file, "utf8");
  if (text.includes(`id="${fragment}"`)) return true;
  const seen = new Map();
  for (const [, heading = ""] of withoutCode(text, { inline: false }).matchAll(/^#{1,6}\s+(.+?)\s*#*$/gm)) {
    const slug = slugOf(heading);
    const count = seen.get(slug) ?? 0;
    seen.set(slug, count + 1);
    if ((count === 0 ? slug : `${slug}-${count}`) === fragment) return true;
  }
  return false;
}

/** @param {string} heading Its anchor as GitHub makes it. */
function slugOf(heading) {
  const plain = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1").replaceAll(/[`*]/g, "");
  return plain
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\p{M}\s_-]/gu, "")
    .replaceAll(" ", "-");
}

/**
 * Blanks code: what looks like a link or a heading there is none.
 * @param {string} text
 * @param {{ inline?: boolean }} [options]
 */
function withoutCode(text, { inline = true } = {}) {
  const prose = text.replace(/^(```+|~~~+).*?^\1/gms, "");
  return inline ? prose.replace(/`[^`\n]*`/g, "") : prose;
}
