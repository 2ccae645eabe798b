import { formatDuration } from "../../render/format-amount.ts";
import type { ServerFacts } from "../facts.ts";
import type { DoctorFinding } from "../finding.ts";

const area = "speed";
const slowMs = 5000;
const slowAnswerMs = 1000;

/** What somebody waits for. */
export function judgeSpeed({ id: server, ready, program }: ServerFacts): readonly DoctorFinding[] {
  if (ready === undefined) return [];
  const { connectMs, listMs, answerMs } = ready;
  const npxPackage = program?.npxPackage;
  const findings: DoctorFinding[] = [];
  if (connectMs > slowMs)
    findings.push({
      level: "advice",
      area,
      server,
      what: `takes ${formatDuration(connectMs)} to come up`,
      mend:
        npxPackage === undefined
          ? { text: 'let it start when it is needed: "startup": "call" in its entry' }
          : // npx looks for what is installed before it asks the registry.
            { command: `npm install -g ${npxPackage}` },
    });
  if (listMs > slowMs)
    findings.push({
      level: "advice",
      area,
      server,
      what: `takes ${formatDuration(listMs)} to list its tools`,
      mend: { text: "tell its author" },
    });
  if (answerMs !== undefined && answerMs > slowAnswerMs)
    findings.push({
      level: "advice",
      area,
      server,
      what: `takes ${formatDuration(answerMs)} to answer the smallest request`,
      mend: { text: "see what else keeps it, or the network, busy" },
    });
  return findings;
}
