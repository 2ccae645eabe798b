import type { Check, Finding } from "../../src/engine/check.ts";
import { checkHost } from "../../src/host/check-host.ts";
import type { HostTarget } from "../../src/host/host-target.ts";
import { localDriver } from "../../src/host/local-driver.ts";
import { createReferenceHost, describeHostsideError, referenceFeatures } from "../../src/host/reference-host.ts";

/** What {@linkcode checkReferenceHost} resolves with when all is well. */
export const passed = { verdict: "pass", exitCode: 0, others: [] } as const;

/** Puts Hostside into these scenarios, and says which of them it did not pass, or could not run. */
export async function checkReferenceHost(checks: readonly Check<HostTarget>[]): Promise<{
  readonly verdict: string;
  readonly exitCode: number;
  readonly others: readonly { readonly id: string; readonly finding: Finding }[];
}> {
  const hello = { name: "hostside", version: "0", features: referenceFeatures };
  const { verdict, exitCode, results } = await checkHost({
    start: () => localDriver({ hello, host: createReferenceHost(), describeError: describeHostsideError }),
    name: "hostside",
    strict: true,
    checks,
  });
  const others = results.filter(({ finding }) => finding.status !== "pass");
  return { verdict, exitCode, others: others.map(({ check, finding }) => ({ id: check.id, finding })) };
}
