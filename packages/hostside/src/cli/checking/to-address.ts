import type { ServerSpec } from "@hostside/core";
import { bearerTokenOf } from "@hostside/core/implement";
import type { ServerAddress } from "@hostside/conformance";
import type { OAuth } from "@hostside/auth";
import { connect } from "@hostside/transports";
import { signInWhereAsked } from "../../auth/sign-in-where-asked.ts";
import { fromEnvironment } from "../from-environment.ts";

/** Who lets the kit in, where somebody has signed in. */
export interface AddressMeans {
  readonly authProvider: OAuth["authProvider"] | undefined;
  readonly signal: AbortSignal;
}

/**
 * Where the kit finds a server of the configuration, with what lets it in; `undefined` for a
 * transport that the kit does not speak.
 */
export async function toAddress(spec: ServerSpec, means: AddressMeans): Promise<ServerAddress | undefined> {
  if (spec.command !== undefined) {
    // It is checked in the environment that it is used in, and a stranger's server gets no more of
    // it.
    const { command, args = [], env, cwd, inheritEnv = "safe" } = spec;
    return {
      type: "stdio",
      server: { command, args, inheritEnv, ...(env && { env }), ...(cwd !== undefined && { cwd }) },
    };
  }
  if (spec.url === undefined) return undefined;
  const url = new URL(spec.url);
  const token = bearerTokenOf(spec);
  const headers = {
    ...spec.headers,
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    ...(await signedInHeaders(spec, url, means)),
  };
  return { type: "http", url, headers };
}

/**
 * What a sign-in gives; nothing where nobody has signed in, and the kit reports what the server
 * asks for.
 */
async function signedInHeaders(
  spec: ServerSpec,
  url: URL,
  { authProvider, signal }: AddressMeans,
): Promise<Readonly<Record<string, string>>> {
  const signed = signInWhereAsked(spec);
  if (authProvider === undefined || signed.url === undefined || signed.auth === undefined) return {};
  try {
    // A connection renews what has run out, over its own HTTP; the kit then gets what is kept.
    const connection = await connect(signed, { ...fromEnvironment, authProvider, signal, isInteractive: () => false });
    await connection.close();
    const given = authProvider(signed, { interactive: false, fetch: refuse });
    return (await given?.headersFor({ method: "POST", url })) ?? {};
  } catch {
    return {};
  }
}

function refuse(): Promise<Response> {
  return Promise.reject(new TypeError("nothing is asked for here"));
}
