import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const adapters = ["ai-sdk", "anthropic", "google", "langchain", "mastra", "openai", "openai-agents"] as const;

// Read, not imported: a file that only names what is exported says as much, and loads nothing.
function namesOf(path: string, pattern = /\{([^}]*)\} from/g): readonly string[] {
  const text = readFileSync(new URL(path, import.meta.url), "utf8");
  const lists = Array.from(text.matchAll(pattern), ([, list = ""]) => list.split(","));
  const names = lists.flat().map((name) => name.replace("type ", "").trim());
  return [...new Set(names.filter((name) => name !== ""))].toSorted();
}

/** What a file declares and exports, and what it exports of others. */
function exportedBy(path: string): readonly string[] {
  const text = readFileSync(new URL(path, import.meta.url), "utf8");
  const declared = Array.from(text.matchAll(/^export (?:function|interface|type) (\w+)/gm), ([, name = ""]) => name);
  return [...declared, ...namesOf(path, /^export (?:type )?\{([^}]*)\} from/gm)].toSorted();
}

/** Without those that come from other packages. */
function ownNamesOf(path: string): readonly string[] {
  return namesOf(path, /\{([^}]*)\} from "\./g);
}

/** The TypeScript of pages and examples that composes with hostside, with where it stands. */
function snippets(): readonly (readonly [place: string, code: string])[] {
  const root = fileURLToPath(new URL("../../../", import.meta.url));
  const filesIn = (folder: string): readonly string[] =>
    readdirSync(`${root}${folder}`, { recursive: true, encoding: "utf8" })
      .map((file) => `${folder}/${file}`)
      .filter((file) => /\.(?:md|ts)$/.test(file));
  const pages = [
    "README.md",
    "packages/hostside/README.md",
    ...filesIn("docs").filter((file) => !/^docs\/(?:internals|node_modules|reference\/api)\//.test(file)),
  ];
  const blocks = pages.flatMap((page) =>
    Array.from(
      readFileSync(`${root}${page}`, "utf8").matchAll(/```ts\n(.*?)```/gs),
      ([, code = ""]) => [page, code] as const,
    ),
  );
  const files = filesIn("examples/src").map((file) => [file, readFileSync(`${root}${file}`, "utf8")] as const);
  return [...blocks, ...files].filter(([, code]) => /from "hostside[/"]/.test(code));
}

describe("hostside", () => {
  it("is the one package that its pages and examples import from", () => {
    const others = snippets().flatMap(([place, code]) =>
      Array.from(
        code.matchAll(/from "(@hostside\/(?!fixtures|conformance)[^"]+)"/g),
        ([, name]) => `${place}: ${name}`,
      ),
    );
    expect(snippets().length).toBeGreaterThan(12);
    expect(others).toEqual([]);
  });

  it("exports what its pages and examples import from it", () => {
    for (const [place, code] of snippets()) {
      for (const [, list = "", entry = ""] of code.matchAll(
        /import (?:type )?\{([^}]*)\} from "hostside\/?([^"]*)"/g,
      )) {
        const wanted = list.split(",").map((name) => name.replace("type ", "").trim());
        const exported = namesOf(`../src/${entry || "index"}.ts`);
        expect([place, wanted.filter((name) => name !== "" && !exported.includes(name))]).toEqual([place, []]);
      }
    }
  });

  it("exports exactly these names", () => {
    expect(ownNamesOf("../src/index.ts")).toEqual([
      "Conversation",
      "ConversationOptions",
      "Host",
      "HostOptions",
      "HostServerEntry",
      "HostState",
      "HostTelemetry",
      "PendingSignIn",
      "SharedServers",
      "createHost",
      "createSharedServers",
    ]);
    expect(namesOf("../src/cli.ts")).toEqual(["Terminal", "exitCodes", "main", "runCommandLine"]);
  });

  it("has the entries of the adapters, name by name", () => {
    for (const entry of adapters) {
      const own = namesOf(`../src/${entry}.ts`);
      const there = exportedBy(`../../adapters/src/${entry}.ts`);
      expect(there).toEqual(expect.arrayContaining([...own]));
      expect(own).toEqual(expect.arrayContaining(there.filter((name) => name.startsWith("create"))));
    }
  });

  it("serves a host by exactly these names", () => {
    expect(ownNamesOf("../src/gateway.ts")).toEqual([
      "AskClient",
      "approveByClient",
      "createHostGateway",
      "narrowResources",
    ]);
  });

  it("has exactly these entry points", () => {
    const { exports } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
    const parts = ["adapters", "auth", "config", "embeddings", "postgres", "records", "redis", "results", "telemetry"];
    const entries = [...adapters, ...parts, "cli", "gateway"].toSorted().map((entry) => `./${entry}`);
    expect(Object.keys(exports)).toEqual([".", ...entries, "./package.json"]);
  });
});
