import { describePage } from "../program/configure-pages.ts";
import type { Declare } from "../program/declare.ts";
import type { TrustArguments } from "../configuring/decide-trust.ts";

/** `trust [name...]`. */
export const declareTrust: Declare = (program, run) => {
  const command = program
    .command("trust")
    .description("decide about servers that a project brings")
    .argument("[name...]", "these servers alone; also those that were refused")
    .option("-y, --yes", "trust those that are named")
    .option("--refuse", "refuse those that are named")
    .option("--list", "what was decided, in every project")
    .option("--revoke", "forget what was decided about those that are named")
    .action((names: readonly string[], options: Omit<TrustArguments, "names">) =>
      run(async (context) =>
        (await import("../configuring/decide-trust.ts")).decideTrust({ ...options, names }, context),
      ),
    );
  describePage(command, {
    purpose: "Set up",
    about: [
      "A project can bring servers, and a server is a program that runs as you. So none of them starts before you said yes to what it would start. An answer counts for an entry as it is: after any change of it you are asked again.",
    ],
    examples: [
      { line: "hostside trust", does: "look at each, and decide" },
      { line: "hostside trust --yes github", does: "trust github without a question, at a terminal alone" },
      { line: "hostside trust --list", does: "what was decided so far" },
    ],
    json: '{ "decisions": [{ "name", "folder", "answer": "trust" | "refuse" }], "open": [{ "serverId", "folder", "file", "line", "column", "starts": […], "cwd", "sets": […], "settings": […], "replaces": […], "references": […], "changed": […], "before", "fingerprint" }] };\nwith --list { "records": [{ "name", "answer", "folder", "file", "answeredAt" }] }; with --revoke { "revoked": [{ "name", "count" }] }',
    exits: { 2: "there is nothing to decide about a name", 3: "something is still to be decided" },
  });
};
