import { hashText } from "../state/engine-name.ts";
import type { RedisConnection } from "./connect-redis.ts";

/** What a script is given. */
export interface ScriptInput {
  readonly keys: readonly string[];
  readonly args: readonly string[];
}

/** A script that Redis runs in one step. */
export type Script = (connection: RedisConnection, input: ScriptInput, signal?: AbortSignal) => Promise<unknown>;

/** Sent by its hash; in full once to a Redis that does not know it yet, or any more. */
export function createScript(text: string): Script {
  let hash: Promise<string> | undefined;
  return async (connection, { keys, args }, signal) => {
    hash ??= hashText(text, "SHA-1");
    const rest = [String(keys.length), ...keys, ...args];
    try {
      return await connection.send(["EVALSHA", await hash, ...rest], signal);
    } catch (error) {
      if (!(error instanceof Error && error.message.startsWith("NOSCRIPT"))) throw error;
      return connection.send(["EVAL", text, ...rest], signal);
    }
  };
}
