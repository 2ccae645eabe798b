import type { Diagnostic } from "@hostside/core";
import type { ServerContext } from "./server-context.ts";

// A banner has a few lines, and what makes no sense once may make none for ever.
const reportedEach = 10;

/**
 * Reports what happens again and again, unless that has become too frequent: `say` is given what to
 * end the message with, and called only then.
 */
export type SeldomReport = (say: (soFar: string) => string) => void;

/**
 * Reports the first 10, then the hundredth, the thousandth and so on. `noun` is what there are many
 * of, for the count.
 */
export function createSeldomReport(
  { serverId, onDiagnostic }: Pick<ServerContext, "onDiagnostic" | "serverId">,
  { kind, noun }: { readonly kind: Diagnostic["kind"]; readonly noun: string },
): SeldomReport {
  let count = 0;
  let nextReported = 1;
  return (say) => {
    count += 1;
    if (count !== nextReported) return;
    nextReported = count < reportedEach ? count + 1 : count * 10;
    const soFar = count > reportedEach ? ` (${count} such ${noun} so far)` : "";
    onDiagnostic({ kind, serverId, message: `server ${JSON.stringify(serverId)} ${say(soFar)}` });
  };
}
