import { describePage } from "../program/describe-page.ts";
import type { Declare } from "../program/declare.ts";
import { exitCodes } from "../exit-codes.ts";
import { loadKit } from "../load-kit.ts";

/** `record FILE -- COMMAND`. */
export const declareRecord: Declare = (program, run) => {
  const command = program
    .command("record")
    .description("start a server over stdio, and record what its host says with it")
    .usage("FILE -- COMMAND [argument ...]")
    .argument("<file>", "the recording, which is replaced")
    .argument("<command...>", "the server's command, after --")
    .action((file: string, server: readonly string[]) =>
      run(async ({ expectStop }) => {
        expectStop?.();
        const { runReplayCommand } = await loadKit("record", () => import("@hostside/conformance/replay"));
        // It ends this process as the server ends, and comes back from what went wrong alone, which
        // it has said.
        await runReplayCommand(["record", file, "--", ...server], "hostside record");
        return exitCodes.fail;
      }),
    );
  describePage(command, {
    purpose: "Examine",
    about: [
      "Needs @hostside/conformance, which has to be installed beside hostside: npm install --save-dev hostside @hostside/conformance.",
      "Put it in place of the server's command in the configuration of any host. The recording is a file of lines that can be read; secrets are masked in it, and what tools are asked and answer stays: read it before you send it to anybody.",
      "With --record FILE, a hostside command records what it says with its servers, those of HTTP without the proxy of the environment. npx @hostside/conformance play plays a recording back as a server.",
    ],
    examples: [
      {
        line: "hostside record bug.jsonl -- node server.js",
        does: "the server, and what is said with it in bug.jsonl",
      },
      { line: "hostside --record bug.jsonl call files/read_file --path a.txt", does: "one call, and what led to it" },
    ],
  });
};
