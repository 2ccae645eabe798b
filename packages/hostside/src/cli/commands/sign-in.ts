import { collect, type CommandSpec } from "./declare.ts";

const login: CommandSpec = {
  name: "login",
  does: "sign in to a server",
  about: [
    "Opens the sign-in page in your browser and waits. The sign-in is kept until hostside logout.",
    "Over SSH, without a display and with --no-browser, it prints the page. Open it in any browser. If the browser cannot return to this machine, paste the address where it ends.",
    "No server starts. Tokens are kept in a folder that only you can read; hostside auth names it.",
  ],
  examples: {
    "hostside login notes": "sign in to the server notes",
    "hostside login notes --scope notes:write --again": "sign in again, with more access",
  },
  json: '{ "server", "state": "signed-in" | "not-needed", "configured", "issuer", "url",\n  "clientId", "scopes": [...], "expiresAt"?, "renews" }',
  takes: (command) =>
    command
      .argument("<server>", "a configured server")
      .option("--scope <scope>", "a further scope; can be repeated", collect)
      .option("--again", "sign in again")
      .option("--no-browser", "print the page, and open no browser"),
  work: async () => (await import("../signing-in/accounts.ts")).login,
};

const logout: CommandSpec = {
  name: "logout",
  does: "sign out of a server",
  about: ["Revokes the tokens if the authorization server supports it, and deletes them in any case."],
  examples: {
    "hostside logout notes": "sign out of the server notes",
    "hostside logout --all": "sign out everywhere",
  },
  json: '{ "accounts": [{ "server", "principal"?, "existed", "revoked": true | false | null }] }',
  takes: (command) =>
    command
      .argument("[server]", "a server, also one that is no longer configured")
      .option("--all", "sign out of all servers"),
  work: async () => (await import("../signing-in/accounts.ts")).logout,
};

const auth: CommandSpec = {
  name: "auth",
  does: "show sign-ins",
  about: [
    "Shows server, client, scopes, expiry and renewal of each sign-in, also for servers that are no longer configured.",
    "No server is started or asked: hostside list shows which servers need a sign-in.",
  ],
  examples: {
    "hostside auth": "all sign-ins",
    "hostside auth notes": "one server; exit code 5 if nobody is signed in there",
  },
  json: '{ "folder", "accounts": [{ "server", "state": "signed-in" | "expired",\n  "configured", "principal"?, "issuer"?, "url"?, "clientId"?, "scopes"?, "expiresAt"?, "renews"? }] }',
  exits: { 5: "nobody is signed in to the named server" },
  takes: (command) => command.argument("[server]", "only this server"),
  work: async () => (await import("../signing-in/accounts.ts")).runAuthCommand,
};

/** Commands about sign-ins. */
export const signIn: readonly CommandSpec[] = [login, logout, auth];
