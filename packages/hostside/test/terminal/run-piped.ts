import { execa } from "execa";
import { program, type WorkFolder } from "./work-folder.ts";

/** What a script gets of a command. */
export interface PipedRun {
  readonly exitCode: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Runs `hostside …` in a folder as a script does: nobody looks, and `input` is all there is to
 * read.
 */
export async function runPiped(
  { folder, env }: WorkFolder,
  args: readonly string[],
  { input = "", env: more = {} }: { readonly input?: string; readonly env?: Readonly<Record<string, string>> } = {},
): Promise<PipedRun> {
  const { exitCode, stdout, stderr } = await execa(process.execPath, [program, ...args], {
    cwd: folder,
    env: { ...env, ...more },
    extendEnv: false,
    input,
    reject: false,
    timeout: 15_000,
  });
  return { exitCode, stdout, stderr };
}
