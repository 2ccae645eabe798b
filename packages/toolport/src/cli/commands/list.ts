import type { Declare } from "../program/declare.ts";

/** `list [server]`. */
export const declareList: Declare = (program, run) => {
  program
    .command("list")
    .description("servers as they come up, then their tools")
    .argument("[server]", "one server alone")
    .action((server: string | undefined) =>
      run(async (context) => (await import("../listing/list-servers.ts")).listServers({ server }, context)),
    );
};
