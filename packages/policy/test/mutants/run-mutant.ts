import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { execa } from "execa";
import type { PolicyMutant } from "./policy-mutant.ts";

const root = fileURLToPath(new URL("../../../../", import.meta.url));
const src = fileURLToPath(new URL("../../src/", import.meta.url));

/** The names of the tests that fail with this mistake in the sources. Throws when a patch does not fit, or the tests do not even start. */
export async function findFailures(mutant: PolicyMutant): Promise<readonly string[]> {
  for (const { file, find } of mutant.patches) {
    const text = await readFile(`${src}${file}`, "utf8");
    if (text.split(find).length !== 2) throw new Error(`${file}: the patch for "${mutant.bug}" does not fit`);
  }
  const { stdout } = await execa(
    process.execPath,
    ["node_modules/vitest/vitest.mjs", "run", "--config=packages/policy/test/mutants/mutant.config.ts", mutant.test],
    { cwd: root, reject: false, env: { TOOLPORT_MUTANT: JSON.stringify({ patches: mutant.patches }) } },
  );
  const report = JSON.parse(stdout.slice(stdout.indexOf("{"))) as Report;
  const results = report.testResults.flatMap(({ assertionResults }) => assertionResults);
  if (results.length === 0) throw new Error(`${mutant.test} runs no test:\n${stdout}`);
  return results.filter(({ status }) => status === "failed").map(({ fullName }) => fullName);
}

interface Report {
  readonly testResults: readonly {
    readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[];
  }[];
}
