import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { assertPeer } from "../src/declare/tool-source.ts";

describe("the peers", () => {
  it.each(["adapters", "auth", "otel", "policy", "hostside"])(
    "of %s, which are optional, keep it out of no project",
    (name) => {
      // npm refuses to install what has a peer of another version, though it is optional, and a
      // product has the frameworks that it has.
      const text = readFileSync(new URL(`../../${name}/package.json`, import.meta.url), "utf8");
      const { peerDependencies = {}, peerDependenciesMeta = {} } = JSON.parse(text) as {
        readonly peerDependencies?: Readonly<Record<string, string>>;
        readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional: boolean }>>;
      };
      const others = Object.entries(peerDependencies).filter(([peer]) => !peer.startsWith("@hostside/"));
      expect(others).toEqual(others.map(([peer]) => [peer, "*"]));
      expect(Object.keys(peerDependencies).filter((peer) => peerDependenciesMeta[peer]?.optional !== true)).toEqual([]);
    },
  );

  it("that are older than an adapter are refused by it, before any tool is made", () => {
    const older = () => assertPeer("createAiSdkTools()", "ai@7", undefined);
    expect(older).toThrow(
      new TypeError(
        "createAiSdkTools() is written for ai@7 and later, and what is installed is older: npm install ai@7",
      ),
    );
    expect(() => assertPeer("createAiSdkTools()", "ai@7", () => true)).not.toThrow();
  });

  it("is asked for no function by its name where it may be an AI SDK that has none: the loader would refuse it, and say nothing of versions", () => {
    const text = readFileSync(new URL("../src/ai-sdk.ts", import.meta.url), "utf8");
    const imports = text.match(/^import .*from "ai";$/gm) ?? [];
    expect(imports).toContain('import * as sdk from "ai";');
    expect(imports.filter((line) => !/^import (?:type |\* as )/.test(line))).toEqual([]);
  });
});
