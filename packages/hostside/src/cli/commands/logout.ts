import { describePage } from "../program/describe-page.ts";
import type { Declare } from "../program/declare.ts";

/** `logout SERVER`. */
export const declareLogout: Declare = (program, run) => {
  const command = program
    .command("logout")
    .description("revoke and forget a sign-in")
    .argument("[server]", "a server, also one that is not configured any more")
    .option("--all", "of all servers")
    .action((server: string | undefined, { all = false }: { readonly all?: boolean }) =>
      run(async (context) => (await import("../signing-in/logout.ts")).logout({ server, all }, context)),
    );
  describePage(command, {
    purpose: "Sign in",
    about: [
      "Asks the authorization server to revoke the tokens, where it offers that, and forgets them, also when it cannot be reached.",
    ],
    examples: [
      { line: "hostside logout notes", does: "sign out of the server notes" },
      { line: "hostside logout --all", does: "sign out everywhere" },
    ],
    json: '{ "accounts": [{ "server", "principal"?, "existed", "revoked": true | false | null }] }',
  });
};
