import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { hostResultsPage, withComparison } from "../scripts/host-results-page.mjs";

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), "utf8");
const results = JSON.parse(read("../results/hosts.json"));

it("docs/explanation/host-results.md says what was found (`pnpm hosts:compare --page` writes it)", () => {
  expect(read("../../docs/explanation/host-results.md")).toBe(hostResultsPage(results));
});

it.each<[path: string, rows?: number]>([["docs/explanation/comparison.md"], ["README.md", 5]])(
  "the table of hosts in %s says what was found (the same command writes it)",
  (path, rows) => {
    const page = read(`../../${path}`);
    expect(page).toContain("| Checks passed, of those that apply | ");
    expect(page).toBe(withComparison(page, results, rows));
  },
);

it("shows a check that failed in one of two ways, advice apart from MUST, and what does not apply", () => {
  const check = (level: string, status: string) => ({ level, status, observed: "it <hung> | there" });
  const checks = {
    "survive/a/stdio": check("MUST", "fail"),
    "survive/a/http": check("MUST", "pass"),
    "survive/b/stdio": check("HOST", "fail"),
    "survive/c/stdio": check("HOST", "not-applicable"),
  };
  const host = { name: "hostside", version: "1.0.0", date: "2026-01-02", seconds: 3, checks };
  const page = hostResultsPage({ ...results, hosts: { hostside: host } });
  expect(page).toContain("| 1 of 3 | 1 | 3 |");
  expect(page).toContain("| `survive/a` | **no**: stdio |");
  expect(page).toContain("| `survive/b` | no |");
  expect(page).toContain("| `survive/c` | – |");
  expect(page).toContain("- `survive/a` (stdio): not looked at yet; the kit says: it hung there");
});
