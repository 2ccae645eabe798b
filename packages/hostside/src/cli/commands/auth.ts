import { describePage } from "../program/describe-page.ts";
import type { Declare } from "../program/declare.ts";

/** `auth [server]`. */
export const declareAuth: Declare = (program, run) => {
  const command = program
    .command("auth")
    .description("who is signed in where, until when")
    .argument("[server]", "one server alone")
    .action((server: string | undefined) =>
      run(async (context) => (await import("../signing-in/list-accounts.ts")).runAuthCommand({ server }, context)),
    );
  describePage(command, {
    purpose: "Sign in",
    about: [
      "Shows each sign-in: where, as which client, for what, until when, and whether it is renewed by itself. Sign-ins of servers that are not configured any more are among them.",
      "Servers over HTTP without a sign-in are asked, without any credential, whether they want one. No server is started.",
    ],
    examples: [
      { line: "hostside auth", does: "all sign-ins" },
      { line: "hostside auth notes", does: "one server; exit code 5 when it wants a sign-in and has none" },
    ],
    json: '{ "folder", "accounts": [{ "server", "state": "signed-in" | "expired" | "signed-out" | "not-needed" | "unknown",\n  "configured", "principal"?, "issuer"?, "url"?, "clientId"?, "scopes"?, "expiresAt"?, "renews"?, "note"? }] }',
    exits: { 5: "the server that was named wants a sign-in, and has none that counts" },
  });
};
