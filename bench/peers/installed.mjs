import { readFileSync } from "node:fs";

/**
 * The version of a package as it is installed in this folder.
 * @param {string} name
 * @returns {string}
 */
export function installed(name) {
  return JSON.parse(readFileSync(new URL(`node_modules/${name}/package.json`, import.meta.url), "utf8")).version;
}
