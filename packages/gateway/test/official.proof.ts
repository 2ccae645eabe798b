import { listen } from "@hostside/gateway/node";
import { verbatimNaming } from "@hostside/naming";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { startOfficialSuite } from "../../../conformance/src/official/start-official-suite.ts";
import { expectedScenarios } from "./official-scenarios.ts";
import { openWorld } from "./upstream.ts";

interface Check {
  readonly id: string;
  readonly status: string;
}

// Every scenario has this one beside its own, also where nothing else came off.
const besides = new Set(["wire-schema-valid"]);

/** The checks of each scenario, by its name. */
async function runScenarios(url: string, revision: string): Promise<ReadonlyMap<string, readonly Check[]>> {
  const folder = await mkdtemp(join(tmpdir(), "hostside-official-"));
  try {
    const { output, status } = await startOfficialSuite([
      "server",
      "--url",
      url,
      "--requirements",
      revision,
      "-o",
      folder,
    ]);
    expect(output, `the suite ended ${status}`).toContain("=== SUMMARY ===");
    const results = new Map<string, readonly Check[]>();
    for (const name of await readdir(folder)) {
      const [, scenario] = /^server-(.+)-\d{4}-\d\d-\d\dT[\d-]+Z$/.exec(name) ?? [];
      if (scenario === undefined) continue;
      results.set(scenario, JSON.parse(await readFile(join(folder, name, "checks.json"), "utf8")) as readonly Check[]);
    }
    return results;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const isGood = ({ status }: Check): boolean => status === "SUCCESS" || status === "INFO";

// A scenario of which nothing was judged has not passed, whatever the suite calls it.
const passes = (checks: readonly Check[]): boolean =>
  checks.every(isGood) && checks.some(({ id, status }) => status === "SUCCESS" && !besides.has(id));

describe("the official suite, against a gateway over HTTP in front of what its scenarios ask for", () => {
  it.each(Array.from(expectedScenarios))("%s", { timeout: 240_000 }, async (revision, { pass, unmet }) => {
    await using world = await openWorld({
      servers: ["official-scenarios"],
      // The suite waits 0.8 s for a changed list.
      provider: { naming: verbatimNaming, debounce: { quietMs: 10 } },
      withResources: true,
      gateway: { namePrompt: (_server, name) => name },
    });
    await using server = await listen(world.gateway, { auth: "none" });
    const results = Array.from(await runScenarios(server.url, revision));
    const passed = results.filter(([, checks]) => passes(checks)).map(([scenario]) => scenario);
    expect(passed.sort()).toEqual([...pass].sort());
    const exact = new Set(unmet.filter(({ checks }) => checks !== undefined).map(({ scenario }) => scenario));
    const found = results
      .filter(([, checks]) => !passes(checks))
      .map(([scenario, checks]) => {
        const failed = checks.filter((check) => !isGood(check)).map(({ id }) => id);
        return exact.has(scenario) ? { scenario, checks: Array.from(new Set(failed)).sort() } : { scenario };
      });
    const wanted = unmet.map(({ reason: _reason, ...rest }) => rest);
    const byName = (one: { scenario: string }, other: { scenario: string }): number =>
      one.scenario < other.scenario ? -1 : 1;
    expect(found.sort(byName)).toEqual(wanted.sort(byName));
  });
});
