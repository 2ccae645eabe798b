// Measures how much there is to understand in this repository; check-size.mjs compares that with budget.json.
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { countCircles } from "./count-circles.mjs";
import { measureProse, proseOfCode, proseOfPage } from "./measure-prose.mjs";
import { readTrackedFiles } from "./tracked-files.mjs";
import { readJson } from "./workspace.mjs";

/**
 * @typedef {object} Measure
 * @property {number} total
 * @property {Record<string, number>} [packages] The same for each package, if it can be told apart.
 *
 * @typedef {object} Source
 * @property {string} path
 * @property {string} text
 * @property {string} package The name of its folder, such as `core`.
 */

const maxSmallLines = 40;
const maxCommentColumns = 100;
const tests = /\.(?:test|proof|test-d|bench)\.ts$|\/test\//;

/**
 * Measures the repository in the working directory.
 * @returns {{ measures: Record<string, Measure>, fileCount: number }}
 */
export function measureSize() {
  const sources = readSources("packages", /^packages\/([^/]+)\/src\/.*\.ts$/);
  const kit = readSources("conformance fixtures", /^(\w+)\/(?:src|bin|scripts|drivers)\/.*\.(?:ts|mjs)$/);
  const importers = findImporters(sources);
  const docs = measureProse(readTrackedFiles("docs/*.md", ":!docs/internals").map((path) => proseOfPage(read(path))));
  const measures = {
    code: countEach(sources, ({ text }) => readLines(text).code.length),
    codeWithKit: countEach([...sources, ...kit], ({ text }) => readLines(text).code.length),
    files: countEach(sources, () => 1),
    loneSmallFiles: countEach(sources, (source) => Number(isSmall(source) && importers.get(source.path)?.size === 1)),
    names: countNames(sources),
    options: countEach(sources, countOptions),
    folderCircles: countFolderCircles(sources, importers),
    wideComments: countEach(sources, ({ text }) => readLines(text).comments.filter(isWide).length),
    exportStars: countEach(sources, ({ text }) => text.match(/^export \*/gm)?.length ?? 0),
    oddStartsInDocComments: {
      total: measureProse(sources.map(({ text }) => proseOfCode(text))).oddStarts,
      packages: mapPackages(sources, (own) => measureProse(own.map(({ text }) => proseOfCode(text))).oddStarts),
    },
    wordsPerSentenceInDocs: { total: docs.wordsPerSentence },
    longSentencesInDocs: { total: docs.longSentences },
  };
  return { measures, fileCount: sources.length + kit.length };
}

/**
 * Reads the files of folders whose path matches; the first group of the pattern is the package.
 * @param {string} folders Separated by spaces.
 * @param {RegExp} pattern
 * @returns {Source[]}
 */
function readSources(folders, pattern) {
  return readTrackedFiles(...folders.split(" "))
    .filter((path) => !tests.test(path))
    .flatMap((path) => {
      const [, name] = pattern.exec(path) ?? [];
      return name === undefined ? [] : [{ path, text: read(path), package: name }];
    });
}

/** @param {string} path */
function read(path) {
  return readFileSync(path, "utf8");
}

/**
 * @param {Source[]} sources
 * @param {(own: Source[], name: string) => number} measure
 */
function mapPackages(sources, measure) {
  const names = [...new Set(sources.map((source) => source.package))].toSorted();
  return Object.fromEntries(
    names.map((name) => {
      const own = sources.filter((source) => source.package === name);
      return [name, measure(own, name)];
    }),
  );
}

/**
 * @param {Source[]} sources
 * @param {(source: Source) => number} count
 * @returns {Measure}
 */
function countEach(sources, count) {
  const packages = mapPackages(sources, (own) => own.reduce((sum, source) => sum + count(source), 0));
  return { total: Object.values(packages).reduce((sum, one) => sum + one, 0), packages };
}

/**
 * Sorts the lines of a file into code and comments, without blank ones. A line with both counts as code.
 * @param {string} text
 */
function readLines(text) {
  /** @type {{ code: string[], comments: string[] }} */
  const lines = { code: [], comments: [] };
  let isInComment = false;
  for (const line of text.split("\n")) {
    const trimmed = line.trim();
    if (trimmed === "") continue;
    const opens = !isInComment && trimmed.startsWith("/*");
    const isComment = isInComment || opens || trimmed.startsWith("//");
    (isComment ? lines.comments : lines.code).push(line);
    if (isInComment || opens) isInComment = !trimmed.includes("*/");
  }
  return lines;
}

/** @param {string} line */
function isWide(line) {
  return line.length > maxCommentColumns;
}

/** @param {Source} source */
function isSmall({ text }) {
  return text.split("\n").length <= maxSmallLines + 1;
}

/**
 * Counts the fields of the option lists of a file, which are typed `Fields<…>`, or `Rules<…>` where
 * the list has a rule for each.
 * @param {Source} source
 */
function countOptions({ text }) {
  const plain = [...text.matchAll(/Fields<[^=]*>\s*=\s*\{([^}]*)\}/g)].map(
    ([, fields = ""]) => new Set([...fields.matchAll(/(\w+)"?\s*:\s*(?:true|false)/g)].map(([, name]) => name)),
  );
  const ruled = [...text.matchAll(/Rules<\w+(?:Options|State)> = \{\n(.*?)\n\};/gs)].map(
    ([, fields = ""]) => new Set([...fields.matchAll(/^ {2}(\w+)[:(]/gm)].map(([, name]) => name)),
  );
  return [...plain, ...ruled].reduce((sum, fields) => sum + fields.size, 0);
}

/**
 * Finds the files that import each file by a relative path.
 * @param {Source[]} sources
 */
function findImporters(sources) {
  /** @type {Map<string, Set<string>>} */
  const importers = new Map();
  for (const { path, text } of sources) {
    for (const [, relative = ""] of text.matchAll(/(?:from|import)\s*\(?\s*"(\.[^"]+)"/g)) {
      const imported = normalize(join(dirname(path), relative));
      importers.set(imported, (importers.get(imported) ?? new Set()).add(path));
    }
  }
  return importers;
}

/**
 * Counts the distinct names that the entries of all packages export, and those of each package.
 * @param {Source[]} sources
 * @returns {Measure}
 */
function countNames(sources) {
  /** @type {Set<string>} */
  const distinct = new Set();
  const packages = mapPackages(sources, (_, name) => {
    const names = readExportedNames(name);
    for (const one of names) distinct.add(one);
    return names.length;
  });
  return { total: distinct.size, packages };
}

/**
 * Reads the names that the entries of a package export. A name of two entries is there twice.
 * @param {string} name
 */
function readExportedNames(name) {
  const folder = join("packages", name);
  /** @type {Record<string, unknown>} */
  const entries = readJson(join(folder, "package.json")).exports ?? {};
  return Object.values(entries).flatMap((entry) => {
    const source = entry !== null && typeof entry === "object" && Reflect.get(entry, "@hostside/source");
    const path = join(folder, String(source));
    if (!path.endsWith(".ts") || !existsSync(path)) return [];
    const code = read(path).replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, "");
    const listed = [...code.matchAll(/export\s+(?:type\s+)?\{([^}]*)\}/g)]
      .flatMap(([, list = ""]) => list.split(","))
      .map((one) =>
        one
          .trim()
          .replace(/^type /, "")
          .replace(/.* as /, ""),
      );
    const declared = code.matchAll(/export\s+(?:async\s+)?(?:function|const|class|interface|type)\s+(\w+)/g);
    return [...listed, ...[...declared].map(([, one = ""]) => one)].filter((one) => one !== "");
  });
}

/**
 * Counts the circles between the folders of each package. A file directly in `src` counts as a folder.
 * @param {Source[]} sources
 * @param {Map<string, Set<string>>} importers
 * @returns {Measure}
 */
function countFolderCircles(sources, importers) {
  const packages = mapPackages(sources, (own, name) => {
    /** @type {Map<string, Set<string>>} */
    const imports = new Map();
    for (const { path } of own) {
      for (const importer of importers.get(path) ?? []) {
        const [from, to] = [folderOf(importer), folderOf(path)];
        if (from === to || importer.split("/")[1] !== name) continue;
        imports.set(from, (imports.get(from) ?? new Set()).add(to));
      }
    }
    return countCircles(imports);
  });
  return { total: Object.values(packages).reduce((sum, one) => sum + one, 0), packages };
}

/** @param {string} path Such as `packages/core/src/calls/deadline.ts`, whose folder is `calls`. */
function folderOf(path) {
  return path.split("/")[3] ?? "";
}
