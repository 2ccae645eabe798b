import { sep } from "node:path";
import { fileURLToPath } from "node:url";
import { defineConfig, type Plugin } from "vitest/config";
import base from "../../../../vitest.config.ts";
import type { PolicyMutant } from "./policy-mutant.ts";

// The configuration of the tests, with one mistake in the sources: `TOOLPORT_MUTANT` has it, as JSON. See run-mutant.ts.
const src = fileURLToPath(new URL("../../src/", import.meta.url));
const { patches } = JSON.parse(process.env["TOOLPORT_MUTANT"] ?? '{"patches":[]}') as Pick<PolicyMutant, "patches">;

const patchSources: Plugin = {
  name: "patch-sources",
  enforce: "pre",
  transform(code, id) {
    if (!id.startsWith(src)) return undefined;
    const file = id.slice(src.length).replaceAll(sep, "/");
    const patched = patches
      .filter((patch) => patch.file === file)
      .reduce((text, { find, replace }) => text.replace(find, () => replace), code);
    return patched === code ? undefined : { code: patched, map: null };
  },
};

export default defineConfig({
  ...base,
  plugins: [patchSources],
  test: { ...base.test, reporters: ["json"], outputFile: {}, maxWorkers: 1, bail: 1 },
});
