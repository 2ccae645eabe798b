// Fails when a file or a manifest does not look like its neighbours: names that say nothing, and what every package
// must carry. The rules are those of CONTRIBUTING.md; lint covers what is inside the code, its length and the case of file names.
import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import { reportProblems } from "./report-problems.mjs";
import { readTrackedFiles } from "./tracked-files.mjs";
import { readJson, readPublicPackages, readWorkspace } from "./workspace.mjs";

const grabBags = /^(utils?|helpers?|common|shared|misc|base|lib)$|(^|-)(manager|helpers?|utils?)$/;

/** @type {string[]} */
const problems = [];
const files = readTrackedFiles("*.ts", "*.mjs");
for (const file of files) {
  const [stem = ""] = basename(file).split(".");
  for (const part of [...file.split("/").slice(0, -1), stem]) {
    if (grabBags.test(part)) problems.push(`${file}: "${part}" says nothing; name what it is or does`);
  }
}
for (const { folder } of readWorkspace()) {
  const readme = join(folder, "README.md");
  if (!existsSync(readme)) problems.push(`${readme}: is missing`);
}

const published = readPublicPackages();
for (const { folder, manifest } of published) checkManifest(folder, manifest);
checkRelease(published.map(({ manifest }) => manifest));
reportProblems(problems, { count: files.length, noun: "files of code" });

/**
 * What a user of a published package relies on.
 * @param {string} folder
 * @param {import("./workspace.mjs").Manifest} manifest
 */
function checkManifest(folder, manifest) {
  /** @type {[boolean, string][]} */
  const rules = [
    [manifest.type === "module", '"type" is "module"'],
    [manifest.license === "Apache-2.0", '"license" is Apache-2.0'],
    [manifest.description?.endsWith(".") === true, '"description" is a sentence'],
    [manifest.repository?.directory === folder, '"repository.directory" is its folder'],
    [manifest.engines?.node === readJson("package.json").engines.node, '"engines.node" is that of the root'],
    [manifest.exports?.["./package.json"] === "./package.json", '"exports" has ./package.json'],
    [manifest.publishConfig?.access === "public", '"publishConfig.access" is public'],
    [manifest.files?.includes("dist") === true, '"files" has dist'],
    [manifest.main === undefined && manifest.types === undefined, '"exports" alone says what can be imported'],
    [manifest.scripts?.["postinstall"] === undefined, "nothing runs when it is installed"],
  ];
  for (const [holds, rule] of rules) if (!holds) problems.push(`${folder}/package.json: ${rule}`);
}

/**
 * All published packages share their contracts, so they share one number and are released together.
 * @param {import("./workspace.mjs").Manifest[]} manifests
 */
function checkRelease(manifests) {
  const versions = new Set(manifests.map(({ version }) => version));
  if (versions.size > 1)
    problems.push(`published packages have ${versions.size} versions: ${[...versions].join(", ")}`);
  const fixed = readJson(".changeset/config.json").fixed?.flat() ?? [];
  for (const { name } of manifests) {
    if (!fixed.includes(name)) problems.push(`.changeset/config.json: ${name} is not in the "fixed" group`);
  }
}
