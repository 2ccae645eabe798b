import { describePage } from "../program/describe-page.ts";
import type { Declare } from "../program/declare.ts";

/** `doctor [server]`. */
export const declareDoctor: Declare = (program, run) => {
  const command = program
    .command("doctor")
    .description("what is wrong, and what mends it")
    .argument("[server]", "one server alone")
    .action((server: string | undefined) =>
      run(async (context) => (await import("../examining/doctor.ts")).doctor({ server }, context)),
    );
  describePage(command, {
    purpose: "Examine",
    about: [
      "Looks at this machine, the configuration files and every server: whether its program is found, how it comes up in both eras of the protocol, its names, its schemas for each model API, its tokens and its speed. Every problem comes with what mends it.",
      "Servers are started side by side and ended again, most of them twice: once in each era; no tool is called, nobody is asked, and no secret is shown. A server that a project brings and nobody trusted is not started.",
    ],
    examples: [
      { line: "hostside doctor", does: "everything" },
      { line: "hostside doctor github", does: "one server" },
      {
        line: "hostside doctor --json | jq '.findings[] | select(.level == \"problem\")'",
        does: "problems alone, for a script",
      },
    ],
    json: '{ "findings": [{ "level": "ok" | "advice" | "problem", "area", "server"?, "what", "evidence"?: [text], "mend"?: { "command" } | { "text" } }],\n  "machine": {…}, "config": {…}, "servers": [{ "id", "state", "program"?, "failure"?, "ready"?, … }] }',
    exits: { 0: "no problem; there may be advice", 1: "there is a problem", 3: "it was interrupted" },
  });
};
