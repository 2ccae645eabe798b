import { shellLine } from "../render/render-text.ts";

/** What mends a finding: a command to run, or something to do. */
export type Mend = { readonly command: string } | { readonly text: string };

/** What `hostside doctor` says, of one thing. */
export interface DoctorFinding {
  readonly level: "ok" | "advice" | "problem";
  readonly area: "machine" | "configuration" | "program" | "connection" | "sign-in" | "protocol" | "tools";
  /** The server that it is about; without it, about the machine or all servers. */
  readonly server?: string | undefined;
  readonly what: string;
  readonly evidence?: readonly string[] | undefined;
  readonly mend?: Mend | undefined;
}

/** The command of hostside about a server that mends a finding. */
export function runFor(command: string, serverId: string): Mend {
  return { command: shellLine(["hostside", command, serverId]) };
}
