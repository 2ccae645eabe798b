import { formatCount, formatDuration } from "../../render/format-amount.ts";
import type { FailureFacts, ServerFacts } from "../facts.ts";
import type { DoctorFinding, Mend } from "../finding.ts";
import { commandFor } from "./command-for.ts";

const area = "connection";
const soonMs = 24 * 3600 * 1000;

/**
 * Whether a server comes up and lets the host in. `isExplained`: what is wrong with its entry is
 * said already.
 */
export function judgeConnection(
  server: ServerFacts,
  { now, isExplained }: { readonly now: number; readonly isExplained: boolean },
): readonly DoctorFinding[] {
  return [
    ...(server.state === "unusable" && isExplained ? [] : judgeState(server)),
    ...judgeSignIn(server, now),
    ...judgePlainHttp(server),
  ];
}

function judgeState(facts: ServerFacts): readonly DoctorFinding[] {
  const { id: server, state, failure, program, ready, waitedMs } = facts;
  switch (state) {
    case "ready":
      return ready === undefined ? [] : [{ level: "ok", area, server, what: describeReady(ready) }];
    case "needs-auth":
      return [
        {
          level: "problem",
          area: "sign-in",
          server,
          what: facts.ownCredentials === true ? "refuses the credentials of its entry" : "wants you to sign in",
          ...evidenceOf(failure),
          mend: facts.transport === "http" ? mendSignIn(facts) : { text: "look at the credentials in its entry" },
        },
      ];
    case "failed":
      // That its program or its folder is missing is said already, with what helps.
      if (failure?.code === "spawn_failed" && (program?.trouble ?? program?.missingCwd) !== undefined) return [];
      return [
        {
          level: "problem",
          area,
          server,
          what: withoutName(failure?.message ?? "could not be reached", server),
          ...evidenceOf(failure),
          ...mendFailure(facts),
        },
      ];
    case "late":
      return [
        {
          level: "problem",
          area,
          server,
          what: `did not come up within ${formatDuration(waitedMs)}`,
          ...evidenceOf(failure),
          mend: { command: `${commandFor("doctor", server)} --timeout ${Math.max(60, Math.ceil(waitedMs / 500))}` },
        },
      ];
    case "unusable":
      return [{ level: "problem", area, server, what: "its entry cannot be used" }];
    case "off":
      return [];
  }
}

// The page has the name above it, and the finding beside it.
function withoutName(message: string, server: string): string {
  const name = `server ${JSON.stringify(server)}`;
  return message.startsWith(name) ? message.slice(name.length).replace(/^:?\s+/, "") : message;
}

function describeReady({
  tools,
  connectMs,
  listMs,
  protocolVersion,
  name,
  version,
}: NonNullable<ServerFacts["ready"]>): string {
  const who = [name, version].filter((part) => part !== undefined && part !== "").join(" ");
  return `up in ${formatDuration(connectMs + listMs)}: ${formatCount(tools.length, "tool")}, protocol ${protocolVersion}${who === "" ? "" : ` (${who})`}`;
}

function evidenceOf(failure: FailureFacts | undefined): { readonly evidence?: readonly string[] } {
  return failure?.stderr === undefined ? {} : { evidence: failure.stderr.map((line) => `stderr: ${line}`) };
}

function mendSignIn({ id, failure, ownCredentials }: ServerFacts): Mend {
  if (failure?.code === "forbidden")
    return { text: "its credentials are good and not enough: ask whoever gives rights there" };
  return ownCredentials === true
    ? { text: "write good ones into its headers, or remove them to sign in with hostside login" }
    : { command: commandFor("login", id) };
}

const words: Readonly<Record<string, string>> = {
  dns_failed: "look at the name of the host in its url, and whether this machine has a network",
  unreachable: "see whether the server runs, and whether its url has the right port",
  tls_failed:
    "for a certificate of your own company, name a file with it in tls.ca of its entry, or in NODE_EXTRA_CA_CERTS; else the server has to renew its own",
  redirect_refused: "write the address that it leads to, which stands above, as its url",
  handshake_failed: "see whether what is started is an MCP server, and whether it prints anything but messages",
  unsupported_protocol: "update the server, or hostside",
  forbidden: "its credentials are good and not enough: ask whoever gives rights there",
  not_allowed: "a rule of this host forbids the connection; see its guard",
  list_timeout: "it came up and did not list its tools; report it to its author",
};

function mendFailure({ id, failure, eras, program }: ServerFacts): { readonly mend?: Mend } {
  const works = eras?.legacy?.works === true ? "legacy" : eras?.modern?.works === true ? "2026-07-28" : undefined;
  if (works !== undefined) return { mend: { text: `write "era": "${works}" into its entry: so it works` } };
  if (failure === undefined) return {};
  const { code, httpStatus, stderr = [] } = failure;
  const said = mendStderr(stderr.join("\n"), program?.npxPackage);
  if (said !== undefined) return { mend: said };
  if (code === "http_error" && httpStatus !== undefined)
    return {
      mend: {
        text:
          httpStatus >= 500
            ? "the server has a fault, or is not up yet: try again later"
            : "look at the path of its url: many servers answer at /mcp",
      },
    };
  if (code === "connect_timeout") return { mend: { command: `${commandFor("doctor", id)} --timeout 120` } };
  if (program !== undefined && program.missingFiles.length > 0)
    return { mend: { text: "one of its arguments names a file that does not exist: see above" } };
  if (code === "server_exited")
    return {
      mend: {
        text:
          stderr.length > 0
            ? "what it wrote to stderr says why it ended; start it by hand to see all of it"
            : "start it by hand, with its arguments and environment: it may say more in a terminal",
      },
    };
  const text = Object.hasOwn(words, code) ? words[code] : undefined;
  return text === undefined ? {} : { mend: { text } };
}

/** What programs of package managers say, and what it means. */
function mendStderr(stderr: string, npxPackage: string | undefined): Mend | undefined {
  const about = npxPackage === undefined ? "its package" : JSON.stringify(npxPackage);
  if (/\bE404\b/.test(stderr)) return { text: `npm has no ${about}: look at how it is spelt` };
  if (/\bENOTFOUND\b|\bEAI_AGAIN\b|\bETIMEDOUT\b/.test(stderr))
    return { text: "it could not reach the network; see the proxy variables and the registry of npm" };
  if (/\bEACCES\b.*(?:_cacache|\.npm)/.test(stderr)) return { command: 'sudo chown -R "$(id -u)" ~/.npm' };
  if (/Cannot connect to the Docker daemon/i.test(stderr)) return { text: "start Docker" };
  if (/\bERR_MODULE_NOT_FOUND\b|Cannot find module/.test(stderr))
    return { text: "a file or a package of its program is missing: install or build it anew" };
  if (/\bEADDRINUSE\b/.test(stderr))
    return { text: "its port is taken: end the other process, or give it another port" };
  return undefined;
}

function judgeSignIn({ id: server, signInEndsAt }: ServerFacts, now: number): readonly DoctorFinding[] {
  if (signInEndsAt === undefined || signInEndsAt - now > soonMs) return [];
  const left = signInEndsAt - now;
  const when = left <= 0 ? "has ended" : `ends in ${formatDuration(left)}`;
  return [
    {
      level: "advice",
      area: "sign-in",
      server,
      what: `its sign-in ${when}, and cannot be renewed without you`,
      mend: { command: commandFor("login", server) },
    },
  ];
}

function judgePlainHttp({ id: server, plainHttp, state }: ServerFacts): readonly DoctorFinding[] {
  if (!plainHttp || state === "off") return [];
  return [
    {
      level: "advice",
      area,
      server,
      what: "is reached without encryption: whoever is on the way reads and changes what its tools say",
      mend: { text: "write https in place of http in its url, if it offers that" },
    },
  ];
}
