import type { EraFacts, ServerFacts } from "../facts.ts";
import type { DoctorFinding } from "../finding.ts";
import { commandFor } from "./command-for.ts";

const area = "protocol";
// Of the attempt after a refusal, as the transports name it.
const bare = "without elicitation";

/** In which eras a server can be spoken to, and what it does that the protocol does not have. */
export function judgeProtocol({ id: server, ready, eras, diagnostics }: ServerFacts): readonly DoctorFinding[] {
  const found = ready?.eras ?? eras;
  const strays = diagnostics.filter(({ kind }) => kind === "stdout-anomaly");
  const odd = diagnostics.filter(({ kind }) => kind === "protocol-anomaly" || kind === "notification-flood");
  const refusals = diagnostics.filter(({ kind, message }) => kind === "fallback" && message.includes(bare));
  return [
    ...(refusals.length === 0
      ? []
      : [
          {
            level: "advice",
            area,
            server,
            what: "refuses hosts that answer questions of servers; hostside connects once more without",
            evidence: refusals.slice(0, 3).map(({ message }) => message),
            mend: {
              text: "tell its author: members of the client's capabilities that it does not know are to be ignored",
            },
          } as const,
        ]),
    ...(found === undefined ? [] : judgeEras(server, found, ready?.era)),
    ...(ready?.httpMode === "sse" ? [oldTransport(server)] : []),
    ...(strays.length === 0
      ? []
      : [
          {
            level: "advice",
            area,
            server,
            what: "writes to stdout what is no message; other hosts may end the session for that",
            evidence: strays.slice(0, 3).map(({ message }) => message),
            mend: { text: "tell its author: logs belong on stderr" },
          } as const,
        ]),
    ...(odd.length === 0
      ? []
      : [
          {
            level: "advice",
            area,
            server,
            what: "does what the protocol does not have",
            evidence: odd.slice(0, 3).map(({ message }) => message),
            mend: { command: commandFor("check", server) },
          } as const,
        ]),
  ];
}

function judgeEras(
  server: string,
  { legacy, modern }: { readonly legacy?: EraFacts; readonly modern?: EraFacts },
  chosen: "legacy" | "modern" | undefined,
): readonly DoctorFinding[] {
  const speaks = [legacy, modern].flatMap((era) => (era?.works === true ? [era.protocolVersion] : []));
  const auto = chosen === undefined ? "" : `; auto chose ${chosen === "modern" ? "2026-07-28" : "the handshake era"}`;
  if (speaks.length === 2)
    return [{ level: "ok", area, server, what: `speaks both eras: ${speaks.join(" and ")}${auto}` }];
  // That it failed is a problem already, and both attempts fail for the same reason.
  if (speaks.length === 0) return [];
  const what =
    legacy?.works === true
      ? `speaks the handshake era alone: ${legacy.protocolVersion}`
      : `speaks ${speaks.join("")} alone: hosts that know nothing newer than 2025-11-25 cannot use it`;
  return [{ level: "ok", area, server, what }];
}

function oldTransport(server: string): DoctorFinding {
  return {
    level: "advice",
    area,
    server,
    what: "is reached over HTTP+SSE, which the specification replaced in 2025",
    mend: { text: "ask its author for an address with Streamable HTTP; many servers have it at /mcp" },
  };
}
