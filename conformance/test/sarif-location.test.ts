import { expect, it } from "vitest";
import { toSarif } from "../src/report/sarif-report.ts";
import { sampleReport } from "./sample-report.ts";

it.each([
  ["node dist/server.js --quiet", "dist/server.js"],
  ["npx my-server", "package.json"],
  ["node /opt/elsewhere/server.js", "package.json"],
  ["https://example.com/server.js", "package.json"],
])("gives code scanning a file for %s: %s", (target, uri) => {
  const text = toSarif(sampleReport({ target }));
  expect(text).toContain(`"uri": ${JSON.stringify(uri)}`);
});
