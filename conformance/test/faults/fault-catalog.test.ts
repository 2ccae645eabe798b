import { faults, findFault, wireFaults } from "@hostside/fixtures";
import { execa } from "execa";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { describe, expect, it } from "vitest";
import { hostScenarios } from "../../src/host/host-checks.ts";
import { hostVenues } from "../../src/host/host-venue.ts";
import { faultCatalog, type NumberedFault } from "./fault-catalog.ts";

const { faults: numbered } = JSON.parse(readFileSync(new URL("../../faults.json", import.meta.url), "utf8")) as {
  readonly faults: readonly NumberedFault[];
};
const program = createRequire(import.meta.url)
  .resolve("@hostside/fixtures/package.json")
  .replace("package.json", "bin/hostside-fault-server.js");

describe("the catalogue of faults", () => {
  it("has every fault once, with a number of its own", () => {
    expect(numbered.map(({ id }) => id).toSorted()).toEqual([...faults, ...wireFaults].map(({ id }) => id).toSorted());
    expect(numbered.map(({ number }) => number)).toEqual(numbered.map((_, at) => at + 1));
  });

  it("names scenarios that exist, over a transport of the fault", () => {
    const wrong = numbered.flatMap(({ id, scenarios }) =>
      scenarios
        .filter((named) => {
          const scenario = hostScenarios.find(({ area, name }) => `${area}/${name}` === named);
          const transports: readonly string[] = findFault(id)?.transports ?? ["http"];
          return !scenario?.over.some((venue) => transports.includes(hostVenues[venue].transport));
        })
        .map((scenario) => `${id}: ${scenario}`),
    );
    expect(wrong).toEqual([]);
  });

  it("is what the page says", async () => {
    await expect(faultCatalog(numbered)).toMatchFileSnapshot("../../../docs/internals/faults.md");
  });

  it("has commands that start: one over HTTP, and one below it", async () => {
    for (const id of ["http-429-seconds", "wire-bad-status"]) {
      const child = execa(process.execPath, [program, "--script", id]);
      for await (const line of child) {
        expect(JSON.parse(line)).toMatchObject({ url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+/) });
        child.stdin.end();
      }
    }
  });
});
