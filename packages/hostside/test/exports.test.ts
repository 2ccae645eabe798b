import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

const adapters = ["ai-sdk", "anthropic", "google", "langchain", "mastra", "openai", "openai-agents"] as const;

// Read, not imported: a file that only names what is exported says as much, and loads nothing.
function namesOf(path: string): readonly string[] {
  const text = readFileSync(new URL(path, import.meta.url), "utf8");
  const lists = Array.from(text.matchAll(/\{([^}]*)\} from/g), ([, list = ""]) => list.split(","));
  const names = lists.flat().map((name) => name.replace("type ", "").trim());
  return [...new Set(names.filter((name) => name !== ""))].toSorted();
}

describe("hostside", () => {
  it("exports exactly these names", () => {
    expect(namesOf("../src/index.ts")).toEqual([
      "ConfigOptions",
      "Conversation",
      "ConversationOptions",
      "FileStoreOptions",
      "Host",
      "HostOptions",
      "HostServerEntry",
      "HostServers",
      "HostState",
      "HostTelemetry",
      "KeptServers",
      "PoolOptions",
      "SharedServers",
      "SharedServersOptions",
      "WriteServersOptions",
      "WrittenServers",
      "createFileStore",
      "createHost",
      "createSharedServers",
      "userState",
    ]);
    expect(namesOf("../src/cli.ts")).toEqual(["Terminal", "exitCodes", "main", "runCommandLine"]);
  });

  it("has the entries of the adapters, name by name", () => {
    for (const entry of adapters) {
      expect(namesOf(`../src/${entry}.ts`)).toEqual(namesOf(`../../adapters/src/${entry}.ts`));
    }
  });

  it("serves a host by exactly these names", () => {
    expect(namesOf("../src/gateway.ts")).toEqual([
      "ApproveByClientOptions",
      "AskClient",
      "HostGatewayOptions",
      "NarrowedResources",
      "approveByClient",
      "createHostGateway",
      "narrowResources",
    ]);
  });

  it("has exactly these entry points", () => {
    const { exports } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
    const entries = [...adapters, "cli", "gateway"].toSorted().map((entry) => `./${entry}`);
    expect(Object.keys(exports)).toEqual([".", ...entries, "./package.json"]);
  });
});
