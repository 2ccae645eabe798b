import { resolve } from "node:path";
import type { Interceptor } from "@hostside/core";
import type { AuditProblemReport } from "@hostside/otel/log";
import type { Terminal } from "../terminal.ts";

/** The audit log of one process. */
export interface OpenAudit extends AsyncDisposable {
  /** For the toolbox, before all others. */
  readonly interceptor: Interceptor;
}

/**
 * Opens the log, whose file nobody else writes to. Rejects with `store_failed` where it cannot be;
 * what it cannot write later is noted.
 */
export async function openAudit(
  file: string,
  { cwd }: Pick<Terminal, "cwd">,
  note: (text: string) => void,
): Promise<OpenAudit> {
  const [{ createAuditLog }, { openAuditFile }] = await Promise.all([
    import("@hostside/otel/log"),
    import("@hostside/otel/node"),
  ]);
  const path = resolve(cwd, file);
  const sink = await openAuditFile({ path });
  const log = await createAuditLog({ sink, onProblem: (problem) => note(`${path}: ${describe(problem)}`) });
  return { interceptor: log.interceptor, [Symbol.asyncDispose]: () => log.close() };
}

function describe(problem: AuditProblemReport): string {
  if (problem.kind === "restored") return `is written again; ${problem.lost} calls are missing`;
  const { error } = problem;
  return `cannot be written: ${error instanceof Error ? error.message : "it failed"}`;
}
