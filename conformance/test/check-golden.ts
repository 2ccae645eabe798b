import type { RunReport } from "../src/engine/run-report.ts";
import { checkServer, type CheckServerOptions } from "../src/server/check-server.ts";
import type { ServerAddress } from "../src/server/server-address.ts";

/** What a server that nothing is wrong with comes to, in {@linkcode checkGolden}. */
export const golden = { found: [], report: { verdict: "pass", exitCode: 0 } } as const;

// A machine that is busy with other tests is slow, which is not what these are about.
const patient = { answerMs: 8000, concurrency: 3 } as const;

/**
 * Runs every check of the kit against a server, and says which of them found something, whatever
 * their level.
 */
export async function checkGolden(
  address: ServerAddress,
  options: Partial<Pick<CheckServerOptions, "answerMs" | "preview" | "consent">> = {},
): Promise<{ readonly report: RunReport; readonly found: readonly string[] }> {
  const report = await checkServer({ address, ...patient, ...options });
  const found = report.results.flatMap(({ check, finding }) =>
    finding.status === "fail"
      ? [`${check.id}: ${finding.observed}`]
      : finding.status === "could-not-run"
        ? [`${check.id}: ${finding.reason}`]
        : [],
  );
  return { report, found };
}
