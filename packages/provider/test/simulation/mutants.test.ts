import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { mutants } from "./mutants.ts";
import { turnMutants } from "./turn-mutants.ts";

const src = fileURLToPath(new URL("../../src/", import.meta.url));

// Whether each is found takes minutes, and is part of `pnpm proof mutants`.
describe("the deliberate bugs", () => {
  it.each([...mutants, ...turnMutants].map((mutant) => [mutant.bug, mutant] as const))(
    "still fit the sources: %s",
    async (_bug, mutant) => {
      for (const { file, find } of mutant.patches) {
        expect((await readFile(src + file, "utf8")).split(find), file).toHaveLength(2);
      }
    },
  );
});
