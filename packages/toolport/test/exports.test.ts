import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

const adapters = ["ai-sdk", "anthropic", "google", "langchain", "mastra", "openai", "openai-agents"] as const;

describe("toolport", () => {
  it("exports exactly these values", async () => {
    expect(Object.keys(await import("toolport")).toSorted()).toEqual([
      "createFileStore",
      "createToolport",
      "userState",
    ]);
    expect(Object.keys(await import("toolport/cli")).toSorted()).toEqual(["exitCodes", "main", "runCommandLine"]);
  });

  it("has the entries of the adapters, name by name", () => {
    for (const entry of adapters) {
      const read = (path: string): string => readFileSync(new URL(path, import.meta.url), "utf8");
      const names = (text: string): readonly string[] => [
        ...new Set(
          Array.from(text.matchAll(/\{([^}]*)\} from/g), ([, list = ""]) => list.split(","))
            .flat()
            .map((name) => name.replace("type ", "").trim())
            .filter((name) => name !== ""),
        ),
      ];
      expect(names(read(`../src/${entry}.ts`)).toSorted()).toEqual(
        names(read(`../../adapters/src/${entry}.ts`)).toSorted(),
      );
    }
  });

  it("has exactly these entry points", () => {
    const { exports } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
    const entries = [...adapters, "cli"].toSorted().map((entry) => `./${entry}`);
    expect(Object.keys(exports)).toEqual([".", ...entries, "./package.json"]);
  });
});
