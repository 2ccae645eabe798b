// What `doctor` found out, apart from what it makes of it: JSON data without secrets, printed by
// `--json`.
import type { Diagnostic, ProtocolEra } from "@hostside/core";

/** The machine that servers are started on. */
export interface MachineFacts {
  readonly nodeVersion: string;
  readonly platform: string;
  /** Absolute paths by name; absent: not on `PATH`. */
  readonly programs: { readonly node?: string; readonly npm?: string; readonly npx?: string };
  /** Folders of `PATH` that do not exist. */
  readonly missingPathFolders: readonly string[];
  /** Names of the variables for proxies that are set; their values may be secret. */
  readonly proxyVariables: readonly string[];
  /** The file of `NODE_EXTRA_CA_CERTS`, and whether it can be read. */
  readonly extraCertificates?: { readonly file: string; readonly readable: boolean };
  /** `NODE_TLS_REJECT_UNAUTHORIZED=0`. */
  readonly trustsAnyCertificate: boolean;
  /** Options of `NODE_OPTIONS`, without their values. */
  readonly nodeOptions: readonly string[];
}

/** The files that the servers come from. */
export interface ConfigFacts {
  readonly files: readonly ConfigFileFacts[];
  readonly problems: readonly ConfigProblemFacts[];
  readonly plainSecrets: readonly PlainSecret[];
  /** Entries that another one of the same name is used in place of. */
  readonly unused: readonly { readonly server: string; readonly place: string }[];
  /** Names of servers with the very same program or URL. */
  readonly duplicates: readonly (readonly string[])[];
}

/** One file with servers. */
export interface ConfigFileFacts {
  readonly file: string;
  readonly dialect: string;
  readonly scope: string;
  readonly servers: readonly string[];
}

/** What the configuration says is wrong with itself. */
export interface ConfigProblemFacts {
  readonly code: string;
  readonly severity: "error" | "warning";
  readonly server?: string | undefined;
  /** The problem with its place, as compilers write theirs. */
  readonly text: string;
  readonly fix?: string | undefined;
}

/** A secret that stands in a file as it is. */
export interface PlainSecret {
  readonly server: string;
  readonly file: string;
  readonly line?: number | undefined;
  /** `env.GITHUB_TOKEN` */
  readonly field: string;
  /** It is no secret yet: `YOUR_API_KEY`. */
  readonly placeholder: boolean;
}

/** The program of a server, as the operating system would find it. */
export interface ProgramFacts {
  readonly command: string;
  /** Absolute; absent: it cannot be started. */
  readonly path?: string;
  readonly trouble?: "missing" | "directory" | "not-executable" | "arguments-in-command";
  /** The file that is in the way, of `directory` and `not-executable`. */
  readonly blocked?: string;
  /** The folder that it is to start in, when that does not exist. */
  readonly missingCwd?: string;
  /** Files among its arguments that do not exist. */
  readonly missingFiles: readonly string[];
  /** `docker run` without `--rm`: stopped containers pile up. */
  readonly leavesContainers: boolean;
  /** Whether it gets the whole environment of this process. */
  readonly inheritsAll?: boolean | undefined;
  /** The package that `npx` runs. */
  readonly npxPackage?: string;
}

/** Why something failed. */
export interface FailureFacts {
  readonly code: string;
  readonly message: string;
  readonly httpStatus?: number;
  /** The first and the last lines on stderr. */
  readonly stderr?: readonly string[];
}

/** One attempt in one era of the protocol. */
export type EraFacts =
  | { readonly works: true; readonly protocolVersion: string; readonly ms: number }
  | { readonly works: false; readonly failure: FailureFacts };

/** One tool that a server offers. */
export interface OfferedToolFacts {
  /** The remote name. */
  readonly name: string;
  readonly localName: string;
  /** Why the local name is not the plain one. */
  readonly renamed?: "too-long" | "collision";
  readonly tokens: number;
  readonly flags: readonly string[];
}

/** What one model API makes of a server's tools. */
export interface ApiFacts {
  readonly api: string;
  readonly leftOut: readonly { readonly tool: string; readonly reason: string }[];
  readonly adapted: readonly { readonly tool: string; readonly changes: readonly string[] }[];
}

/** A server that answered. */
export interface ReadyFacts {
  /** What `auto` chose. */
  readonly era: ProtocolEra;
  readonly protocolVersion: string;
  readonly httpMode?: "streamable" | "sse";
  readonly name?: string;
  readonly version?: string;
  readonly connectMs: number;
  readonly listMs: number;
  /** How long one small request took; absent: it was refused. */
  readonly answerMs?: number;
  readonly tools: readonly OfferedToolFacts[];
  readonly tokens: number;
  readonly apis: readonly ApiFacts[];
  readonly eras: { readonly legacy?: EraFacts; readonly modern?: EraFacts };
}

/** All that is known of one server. */
export interface ServerFacts {
  readonly id: string;
  readonly scope: string;
  readonly file?: string;
  readonly transport: "stdio" | "http" | "memory" | "custom";
  /** The command line or the URL, without secrets. */
  readonly starts: string;
  /** `"late"`: it did not come up in time. `"off"`: it was not started. */
  readonly state: "ready" | "failed" | "needs-auth" | "late" | "off" | "unusable";
  readonly off?: string;
  readonly program?: ProgramFacts;
  /** Over HTTP to another machine, without encryption. */
  readonly plainHttp: boolean;
  readonly failure?: FailureFacts;
  readonly ready?: ReadyFacts;
  /** Of a server that failed: whether an era works all the same. */
  readonly eras?: ReadyFacts["eras"];
  readonly diagnostics: readonly { readonly kind: Diagnostic["kind"]; readonly message: string }[];
  /** Its entry has credentials of its own: nobody signs in to it. */
  readonly ownCredentials?: true;
  /** When the sign-in ends, in milliseconds since 1970, and nobody renews it. */
  readonly signInEndsAt?: number;
  /** How long it was waited for, in milliseconds. */
  readonly waitedMs: number;
}

/** Everything. */
export interface DoctorFacts {
  readonly machine: MachineFacts;
  readonly config: ConfigFacts;
  readonly servers: readonly ServerFacts[];
  /** Milliseconds since 1970. */
  readonly now: number;
}
