import type {
  ConfigFacts,
  DoctorFacts,
  MachineFacts,
  ReadyFacts,
  ServerFacts,
  OfferedToolFacts,
} from "../../src/cli/examining/facts.ts";

/** A machine with which everything is well. */
export function machineOf(facts: Partial<MachineFacts> = {}): MachineFacts {
  return {
    nodeVersion: "22.1.0",
    platform: "linux",
    programs: { node: "/usr/bin/node", npm: "/usr/bin/npm", npx: "/usr/bin/npx" },
    missingPathFolders: [],
    proxyVariables: [],
    trustsAnyCertificate: false,
    nodeOptions: [],
    ...facts,
  };
}

export function configOf(facts: Partial<ConfigFacts> = {}): ConfigFacts {
  return { files: [], problems: [], plainSecrets: [], unused: [], duplicates: [], ...facts };
}

export function toolOf(facts: Partial<OfferedToolFacts> = {}): OfferedToolFacts {
  return { name: "read", localName: "mcp_files_read", tokens: 100, flags: [], ...facts };
}

/** What is known of a server that answered. */
export function readyOf(facts: Partial<ReadyFacts> = {}): ReadyFacts {
  return {
    era: "legacy",
    protocolVersion: "2025-11-25",
    connectMs: 200,
    listMs: 20,
    answerMs: 2,
    tools: [toolOf()],
    tokens: 100,
    apis: [],
    eras: { legacy: { works: true, protocolVersion: "2025-11-25", ms: 200 } },
    ...facts,
  };
}

/** A server that is well. */
export function serverOf(facts: Partial<ServerFacts> = {}): ServerFacts {
  return {
    id: "files",
    scope: "user",
    transport: "stdio",
    starts: "npx -y files",
    state: "ready",
    program: { command: "npx", path: "/usr/bin/npx", missingFiles: [], leavesContainers: false },
    plainHttp: false,
    ready: readyOf(),
    diagnostics: [],
    waitedMs: 220,
    ...facts,
  };
}

/** A server that failed. */
export function failedOf(
  failure: Partial<NonNullable<ServerFacts["failure"]>>,
  facts: Partial<ServerFacts> = {},
): ServerFacts {
  const { ready: _, ...rest } = serverOf();
  return { ...rest, state: "failed", failure: { code: "server_exited", message: "it ended", ...failure }, ...facts };
}

export function doctorFacts(facts: Partial<DoctorFacts> = {}): DoctorFacts {
  return { machine: machineOf(), config: configOf(), servers: [serverOf()], now: 0, ...facts };
}
