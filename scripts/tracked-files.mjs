import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";

/**
 * What git would commit: tracked files and new ones that are not ignored, without those that were deleted.
 * @param {string[]} patterns Git pathspecs; none for all.
 */
export function readTrackedFiles(...patterns) {
  return execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "-z", "--", ...patterns], {
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
  })
    .split("\0")
    .filter((path) => path !== "" && existsSync(path))
    .toSorted();
}
