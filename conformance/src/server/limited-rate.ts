import type { Finding } from "../engine/check.ts";

// As the kit words answers: a status, or an error with its text.
const refusal = /\b429\b(?=: |\s\()|\berror [^:]{1,20}: ".{0,100}(?:rate.?limit|too many requests)/i;

/**
 * What a check found, unless all that it saw is that the server takes no more requests for now: a
 * run asks more often than a host does, and a server that limits that is not wrong.
 */
export function excuseLimitedRate(finding: Finding): Finding {
  if (finding.status !== "fail" || !refusal.test(finding.observed)) return finding;
  return {
    status: "could-not-run",
    reason: `the server limits how often it is asked, which a run does often: ${finding.observed}`,
  };
}
