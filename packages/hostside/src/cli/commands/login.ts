import { describePage } from "../program/configure-pages.ts";
import type { Declare } from "../program/declare.ts";

interface LoginOptions {
  readonly scope?: readonly string[];
  readonly again?: boolean;
  readonly browser: boolean;
}

/** `login SERVER`. */
export const declareLogin: Declare = (program, run) => {
  const command = program
    .command("login")
    .description("sign in to a server")
    .argument("<server>", "a server of the configuration")
    .option("--scope <scope>", "ask for this beside what the server asks for; can be given again", collect)
    .option("--again", "sign in anew, also when somebody is signed in")
    .option("--no-browser", "only show the page, to be opened in a browser anywhere")
    .action((server: string, { scope = [], again = false, browser }: LoginOptions) =>
      run(async (context) =>
        (await import("../signing-in/login.ts")).login(
          { server, scopes: scope, again, opensBrowser: browser },
          context,
        ),
      ),
    );
  describePage(command, {
    purpose: "Sign in",
    about: [
      "Opens the page of the authorization server in your browser and waits for you to come back; once signed in, hostside stays so, also after a restart, until hostside logout.",
      "Over SSH, on a machine without a display and with --no-browser, the page is shown alone. Open it in a browser anywhere; when it cannot lead back to this machine, paste the address that it ends on.",
      "No server is started. Tokens are kept in a folder that you alone may read: hostside auth names it.",
    ],
    examples: [
      { line: "hostside login notes", does: "sign in to the server notes" },
      { line: "hostside login notes --scope notes:write --again", does: "sign in anew, for more access" },
    ],
    json: '{ "server", "state": "signed-in" | "not-needed", "configured", "issuer", "url",\n  "clientId", "scopes": [...], "expiresAt"?, "renews" }',
    exits: {
      2: "there is no such server, or nobody signs in to it",
      5: "nobody signed in: declined, cancelled, or too late",
    },
  });
};

function collect(scope: string, scopes: readonly string[] = []): readonly string[] {
  return [...scopes, scope];
}
