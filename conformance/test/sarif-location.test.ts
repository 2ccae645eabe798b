import { expect, it } from "vitest";
import { toSarif } from "../src/report/sarif-report.ts";
import { sampleReport } from "./sample-report.ts";

const project = new Set(["dist/server.js", "package.json"]);

it.each([
  ["node dist/server.js --quiet", project, "dist/server.js"],
  ["node ./dist/server.js", project, "dist/server.js"],
  ["node server.js", project, "package.json"],
  ["npx my-server", project, "package.json"],
  ["node /opt/elsewhere/server.js", project, "package.json"],
  ["https://example.com/server.js", project, "package.json"],
  ["node dist/server.js", new Set<string>(), undefined],
])("points code scanning for %s among %o to %s", (target, files, uri) => {
  const { runs } = JSON.parse(toSarif(sampleReport({ target }), (path) => files.has(path)));
  const [{ physicalLocation, logicalLocations }] = runs[0].results[0].locations;
  expect(physicalLocation?.artifactLocation.uri).toBe(uri);
  expect(logicalLocations[0].fullyQualifiedName).toBe(target);
});
