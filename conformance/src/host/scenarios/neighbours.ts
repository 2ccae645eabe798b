import { floods, type Flood } from "@hostside/fixtures";
import type { HostScenario } from "../host-scenario.ts";
import type { Stage, Stand } from "../stage.ts";
import { must } from "../violation.ts";
import { callWell, mustLeaveNoProcess } from "./judge-calls.ts";

// Judged by what comes through and not by a time: how much slower calls may be is for a benchmark
// to say.
const calls = 10;
// More than any scenario lasts: whoever calls the flooding server is not what is looked at.
const forever = 600_000;

/**
 * One server does its worst; the calls of another one come through, and the host can be closed in
 * the middle of it.
 */
export const neighbourScenarios: readonly HostScenario[] = floods.map((flood) => ({
  area: "hostile",
  name: `neighbour-${flood.id}`,
  title: `${capitalise(flood.title)} without end do not keep another server's calls from coming through, or the host from closing`,
  legal: ["ten calls of the other server work while the flood is on; then close ends, and leaves no process"],
  fix: "Read what a server sends in slices, let others have their turn between them, and stop reading what exceeds a bound.",
  over: [flood.transport],
  run: (stage) => runBeside(stage, flood),
}));

async function runBeside(stage: Stage, { script, called }: Flood): Promise<string> {
  const [alpha, beta] = await stage.startTwo({ script, runIn: "child" });
  const over = new AbortController();
  const flooding = called === "again" ? callAgain(stage, alpha, over.signal) : callOnce(stage, alpha);
  // A scenario that failed meanwhile no longer waits for it.
  flooding.catch(() => {});
  await stage.happens("the call that starts the flood never arrived", alpha.server.occurred("executed"));
  for (let call = 1; call <= calls; call += 1) await callWell(stage, beta, `beside the flood ${call}`);
  over.abort();
  const { ok } = await stage.host.close();
  must(ok, "close failed in the middle of the flood");
  await stage.happens("a call was left pending by close", flooding);
  await mustLeaveNoProcess(stage, alpha, beta);
  return `${calls} calls came through`;
}

async function callOnce(stage: Stage, alpha: Stand): Promise<void> {
  await stage.call(alpha, { text: "flood" }, { timeoutMs: forever });
}

async function callAgain(stage: Stage, alpha: Stand, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) await callOnce(stage, alpha);
}

function capitalise(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
