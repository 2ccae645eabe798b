import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import * as transports from "../src/index.ts";

it("exports these values and no others", () => {
  expect(Object.keys(transports).toSorted()).toEqual([
    "closeOnSignals",
    "connect",
    "createAuthorizationFetch",
    "createConnector",
    "safeEnvironment",
  ]);
});

it("has these entries and no others", () => {
  const file = readFileSync(new URL("../package.json", import.meta.url), "utf8");
  expect(Object.keys(JSON.parse(file).exports)).toEqual([".", "./package.json"]);
});

it("loads at import only itself and core: no SDK, no Node module, nothing that opens a connection", () => {
  const entry = fileURLToPath(new URL("../src/index.ts", import.meta.url));
  const foreign = new Set<string>();
  const seen = new Set<string>();
  const visit = (file: string): void => {
    if (seen.has(file)) return;
    seen.add(file);
    // Static imports and re-exports of values; those of types are gone after the build.
    const imports = readFileSync(file, "utf8").matchAll(/^(?:import|export) (?!type\b)[^;]*? from "([^"]+)";/gm);
    for (const [, specifier = ""] of imports) {
      // Outside of Node.
      if (specifier === "#stdio")
        visit(fileURLToPath(new URL("../src/stdio/open-stdio-unavailable.ts", import.meta.url)));
      else if (specifier.startsWith(".")) visit(fileURLToPath(new URL(specifier, `file://${file}`)));
      else foreign.add(specifier);
    }
  };
  visit(entry);
  expect(foreign).toEqual(new Set(["@hostside/core", "@hostside/core/implement"]));
  expect([...seen].filter((file) => /open-(?:stdio|http)\.ts$/.test(file))).toEqual([]);
  expect(seen.size).toBeGreaterThan(20);
});
