// Fails when users would not be told: a published package whose sources changed since its last release needs a changeset that names
// it. The last release of a package is the last commit that wrote its CHANGELOG.md; without one, nothing was released yet.
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { reportProblems } from "./report-problems.mjs";
import { readPublicPackages } from "./workspace.mjs";

/** @type {string[]} */
const problems = [];
const published = readPublicPackages();
const names = new Set(published.map(({ manifest }) => manifest.name));

/** @type {Set<string>} */
const announced = new Set();
for (const file of readdirSync(".changeset").filter((name) => name.endsWith(".md") && name !== "README.md")) {
  const [, header = "", text = ""] =
    /^---\n(.*?)\n---\n(.*)$/s.exec(readFileSync(join(".changeset", file), "utf8")) ?? [];
  const entries = [...header.matchAll(/^["']?([^"':]+)["']?: (major|minor|patch)$/gm)].map(([, name = ""]) => name);
  if (entries.length === 0) problems.push(`.changeset/${file}: names no package`);
  if (text.trim() === "") problems.push(`.changeset/${file}: tells the user nothing`);
  for (const name of entries) {
    if (!names.has(name)) problems.push(`.changeset/${file}: ${name} is not a published package`);
    announced.add(name);
  }
}

for (const { folder, manifest } of published) {
  if (!announced.has(manifest.name) && changedSinceRelease(folder)) {
    problems.push(
      `${folder}: changed since its last release, and no file in .changeset/ says what that means for its users`,
    );
  }
}
reportProblems(problems, { count: published.length, noun: "published packages" });

/** @param {string} folder */
function changedSinceRelease(folder) {
  const changelog = join(folder, "CHANGELOG.md");
  if (!existsSync(changelog)) return existsSync(join(folder, "src"));
  const release = git("log", "-1", "--format=%H", "--", changelog);
  return release !== "" && git("diff", "--name-only", release, "--", join(folder, "src")) !== "";
}

/** @param {string[]} args */
function git(...args) {
  return execFileSync("git", args, { encoding: "utf8" }).trim();
}
