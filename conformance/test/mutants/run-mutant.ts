import { fileURLToPath } from "node:url";
import { startFaultServer } from "@hostside/fixtures";
import type { RunReport } from "../../src/engine/run-report.ts";
import { checkServer, type CheckServerOptions } from "../../src/server/check-server.ts";
import type { ServerAddress } from "../../src/server/server-address.ts";
import { signIn } from "../../src/server/sign-in.ts";
import { mutantClient, mutantToken } from "./authorization-mutants.ts";
import type { Mutant } from "./mutant.ts";
import { withOddStreams } from "./odd-streams.ts";
import { stripOrigin } from "./strip-origin.ts";

/** The program with the modes that a fault script cannot express. */
export const oddServer: string = fileURLToPath(new URL("programs/odd-server.mjs", import.meta.url));

type Options = Partial<Omit<CheckServerOptions, "address">>;

/** Runs every check against a mutant. */
export async function runMutant(mutant: Mutant, options: Options = {}): Promise<RunReport> {
  const { transport, script, hidesOrigin, oddStreams, signsIn } = mutant;
  const check = (address: ServerAddress): Promise<RunReport> =>
    checkServer({ address, preview: false, answerMs: 3000, ...options });
  if (typeof script === "string")
    return check({ type: "stdio", server: { command: process.execPath, args: [oddServer, script] } });
  if (typeof script === "function") {
    await using server = await script();
    return await check({ type: "http", url: new URL(server.url) });
  }
  if (transport === "sse") {
    await using server = await startFaultServer({ script, transport });
    if (!oddStreams && !hidesOrigin) return await check({ type: "sse", url: new URL(server.url) });
    await using proxy = await (oddStreams ? withOddStreams(server.url, oddStreams) : stripOrigin(server.url));
    return await check({ type: "sse", url: new URL(proxy.url) });
  }
  if (transport === "http") {
    await using server = await startFaultServer({ script, transport });
    if (signsIn) return await checkSignedIn(new URL(server.url), check);
    if (!hidesOrigin) return await check({ type: "http", url: new URL(server.url) });
    await using proxy = await stripOrigin(server.url);
    return await check({ type: "http", url: new URL(proxy.url) });
  }
  await using server = await startFaultServer({ script, transport: "stdio" });
  return await check({ type: "stdio", server: server.spec });
}

// A mutant whose metadata no host would follow cannot be signed in to: its token is given by hand.
async function checkSignedIn(url: URL, check: (address: ServerAddress) => Promise<RunReport>): Promise<RunReport> {
  const client = { flow: "client_credentials", ...mutantClient } as const;
  const signedIn = await signIn({ url, client, prompt: async () => "cancelled" }).catch(() => undefined);
  if (signedIn === undefined) return check({ type: "http", url, headers: { authorization: `Bearer ${mutantToken}` } });
  try {
    return await check({ type: "http", url, signIn: signedIn });
  } finally {
    await signedIn.close();
  }
}

/** The checks that failed, sorted. */
export function failedChecks({ results }: RunReport): readonly string[] {
  return results.flatMap(({ check, finding }) => (finding.status === "fail" ? [check.id] : [])).sort();
}
