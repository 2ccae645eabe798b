import { terminalPrompt } from "@hostside/auth/node";
import { signIn } from "../server/sign-in.ts";
import type { ServerAddress } from "../server/server-address.ts";
import type { TargetArguments } from "./command.ts";
import type { ReadTarget } from "./read-target.ts";

/**
 * Signs in where the arguments ask for it. What is wrong, such as a page that was closed, is a
 * mistake in one line without any secret.
 */
export async function signInToTarget(
  address: ServerAddress,
  { oauth }: TargetArguments,
  { signal, env = process.env }: { signal: AbortSignal; env?: Readonly<Record<string, string | undefined>> },
): Promise<ReadTarget> {
  if (oauth === undefined) return { ok: true, address };
  if (address.type === "stdio") return { ok: false, mistake: "--oauth is for servers at a URL" };
  const { clientId, secretEnv, scopes } = oauth;
  const clientSecret = secretEnv === undefined ? undefined : env[secretEnv];
  if (secretEnv !== undefined && !clientSecret)
    return { ok: false, mistake: `--oauth-secret-env: ${secretEnv} is not set` };
  const asked = scopes.length > 0 ? { scopes } : {};
  const client =
    clientId !== undefined && clientSecret !== undefined
      ? ({ flow: "client_credentials", clientId, clientSecret, ...asked } as const)
      : { ...(clientId !== undefined && { clientId }), ...asked };
  const prompt = terminalPrompt({ input: process.stdin, output: process.stderr, env });
  try {
    return { ok: true, address: { ...address, signIn: await signIn({ url: address.url, client, prompt, signal }) } };
  } catch (error) {
    return { ok: false, mistake: `cannot sign in: ${error instanceof Error ? error.message : String(error)}` };
  }
}

/** What a promise comes to; when it has settled, what a sign-in holds is ended. */
export async function thenSignOut<T>(address: ServerAddress, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } finally {
    if (address.type !== "stdio") await address.signIn?.close();
  }
}
