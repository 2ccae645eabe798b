import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { limitMutants } from "../limits/mutants.ts";
import { mutants } from "./mutants.ts";
import { sharedMutants } from "./shared-mutants.ts";

const src = fileURLToPath(new URL("../../src/", import.meta.url));

// Whether each is found is part of `pnpm proof mutants`.
describe("the deliberate bugs of a cluster", () => {
  it.each([...mutants, ...sharedMutants, ...limitMutants].map((mutant) => [mutant.bug, mutant] as const))(
    "still fit the sources: %s",
    async (_bug, mutant) => {
      for (const { file, find } of mutant.patches) {
        expect((await readFile(src + file, "utf8")).split(find), file).toHaveLength(2);
      }
    },
  );
});
