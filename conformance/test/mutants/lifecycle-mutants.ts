import { overHttp, overStdio, proceed, respond, result, rule, type Mutant } from "./mutant.ts";

const refused = respond({ error: { code: -32_603, message: "Internal error" } });
const serverInfo = { name: "mutant", version: "1.0.0" };

/** Servers that begin a session in a wrong way. */
export const lifecycleMutants: readonly Mutant[] = [
  overHttp("initialize-error", "answers initialize with an internal error", {
    era: "legacy",
    rules: [rule("initialize", undefined, refused)],
    fails: ["lifecycle/initialize"],
  }),
  overHttp("initialize-no-object", "answers initialize with a text", {
    era: "legacy",
    rules: [rule("initialize", undefined, respond({ result: "ready" }))],
    fails: ["lifecycle/initialize"],
  }),
  overHttp("no-capabilities", "leaves capabilities out", {
    rules: [rule("initialize", undefined, result({ protocolVersion: "2025-11-25", serverInfo }))],
    fails: ["lifecycle/initialize-result"],
  }),
  overHttp("no-server-info", "does not say what it is", {
    rules: [rule("initialize", undefined, result({ protocolVersion: "2025-11-25", capabilities: { tools: {} } }))],
    fails: ["lifecycle/initialize-result"],
  }),
  overHttp("version-number", "gives the protocol version as a number", {
    rules: [rule("initialize", undefined, result({ protocolVersion: 2025, capabilities: { tools: {} }, serverInfo }))],
    fails: ["lifecycle/initialize-result"],
  }),
  overHttp("unknown-version", "answers with a revision that no host knows", {
    protocolVersion: "9.9",
    fails: ["lifecycle/negotiates-2025-11-25"],
  }),
  overHttp("echoes-version", "repeats whatever revision it is offered", {
    rules: [
      rule(
        "initialize",
        { "params.protocolVersion": "1999-01-01" },
        result({ protocolVersion: "1999-01-01", capabilities: { tools: {} }, serverInfo }),
      ),
    ],
    fails: ["lifecycle/unknown-revision"],
  }),
  ...["2025-06-18", "2025-03-26", "2024-11-05"].map((revision) =>
    overHttp(`refuses-${revision}`, `refuses ${revision} instead of offering another`, {
      rules: [rule("initialize", { "params.protocolVersion": revision }, refused)],
      fails: [`lifecycle/negotiates-${revision}`],
    }),
  ),
  overHttp("discover-without-versions", "answers server/discover without the revision that was asked for", {
    rules: [rule("server/discover", undefined, result({ supportedVersions: [], capabilities: { tools: {} } }))],
    fails: ["lifecycle/stateless-era"],
  }),
  overStdio("dies-of-probe", "ends when a request comes before the handshake", {
    era: "legacy",
    rules: [rule("server/discover", undefined, { type: "exit", code: 1 })],
    fails: ["lifecycle/request-before-handshake"],
  }),
  overStdio("deaf-after-probe", "never answers initialize after another request", {
    era: "legacy",
    rules: [rule("server/discover", undefined, { type: "stop-reading" })],
    fails: ["lifecycle/request-before-handshake"],
  }),
  overStdio("slow-start", "takes more than five seconds to answer initialize", {
    rules: [
      rule("initialize", { process: 1 }, { type: "write", bytes: "", to: "stderr", times: 2, pauseMs: 9000 }, proceed),
    ],
    fails: ["stdio/time-to-initialize"],
  }),
];
