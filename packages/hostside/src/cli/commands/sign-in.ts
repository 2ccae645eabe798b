import { collect, type CommandSpec } from "./declare.ts";

const login: CommandSpec = {
  name: "login",
  does: "sign in to a server",
  about: [
    "Opens the page of the authorization server in your browser and waits for you to come back; once signed in, hostside stays so, also after a restart, until hostside logout.",
    "Over SSH, on a machine without a display and with --no-browser, the page is shown alone. Open it in a browser anywhere; when it cannot lead back to this machine, paste the address that it ends on.",
    "No server is started. Tokens are kept in a folder that you alone may read: hostside auth names it.",
  ],
  examples: {
    "hostside login notes": "sign in to the server notes",
    "hostside login notes --scope notes:write --again": "sign in anew, for more access",
  },
  json: '{ "server", "state": "signed-in" | "not-needed", "configured", "issuer", "url",\n  "clientId", "scopes": [...], "expiresAt"?, "renews" }',
  takes: (command) =>
    command
      .argument("<server>", "a server of the configuration")
      .option("--scope <scope>", "ask for this beside what the server asks for; can be given again", collect)
      .option("--again", "sign in anew, also when somebody is signed in")
      .option("--no-browser", "only show the page, to be opened in a browser anywhere"),
  work: async () => (await import("../signing-in/login.ts")).login,
};

const logout: CommandSpec = {
  name: "logout",
  does: "revoke and forget a sign-in",
  about: [
    "Asks the authorization server to revoke the tokens, where it offers that, and forgets them, also when it cannot be reached.",
  ],
  examples: {
    "hostside logout notes": "sign out of the server notes",
    "hostside logout --all": "sign out everywhere",
  },
  json: '{ "accounts": [{ "server", "principal"?, "existed", "revoked": true | false | null }] }',
  takes: (command) =>
    command
      .argument("[server]", "a server, also one that is not configured any more")
      .option("--all", "of all servers"),
  work: async () => (await import("../signing-in/logout.ts")).logout,
};

const auth: CommandSpec = {
  name: "auth",
  does: "who is signed in where, until when",
  about: [
    "Shows each sign-in: where, as which client, for what, until when, and whether it is renewed by itself. Sign-ins of servers that are not configured any more are among them.",
    "Servers over HTTP without a sign-in are asked, without any credential, whether they want one. No server is started.",
  ],
  examples: {
    "hostside auth": "all sign-ins",
    "hostside auth notes": "one server; exit code 5 when it wants a sign-in and has none",
  },
  json: '{ "folder", "accounts": [{ "server", "state": "signed-in" | "expired" | "signed-out" | "not-needed" | "unknown",\n  "configured", "principal"?, "issuer"?, "url"?, "clientId"?, "scopes"?, "expiresAt"?, "renews"?, "note"? }] }',
  exits: { 5: "the server that was named wants a sign-in, and has none that counts" },
  takes: (command) => command.argument("[server]", "one server alone"),
  work: async () => (await import("../signing-in/list-accounts.ts")).runAuthCommand,
};

/** Commands about sign-ins. */
export const signIn: readonly CommandSpec[] = [login, logout, auth];
