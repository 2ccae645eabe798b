import type { ServerSpec, ServerEntry, EntrySettings } from "@hostside/core";
import { startFaultServer, type FaultRule, type HttpFaultServer, type StdioFaultServer } from "@hostside/fixtures";

/** A way to a server, with everything that is to be the same on all of them. */
export interface TransportRow {
  readonly name: string;
  readonly transport: "stdio" | "http" | "sse";
  readonly era: "legacy" | "modern";
  readonly protocolVersion: string;
}

/** Both eras over every transport that they have. */
export const transportRows: readonly TransportRow[] = [
  { name: "stdio, handshake era", transport: "stdio", era: "legacy", protocolVersion: "2025-11-25" },
  { name: "stdio, 2026-07-28", transport: "stdio", era: "modern", protocolVersion: "2026-07-28" },
  { name: "Streamable HTTP, handshake era", transport: "http", era: "legacy", protocolVersion: "2025-11-25" },
  { name: "Streamable HTTP, 2026-07-28", transport: "http", era: "modern", protocolVersion: "2026-07-28" },
  { name: "HTTP+SSE", transport: "sse", era: "legacy", protocolVersion: "2025-11-25" },
];

/** A server behind one of the transports, and what a test does to it. */
export interface Subject extends AsyncDisposable {
  readonly control: StdioFaultServer | HttpFaultServer;
  spec(rest?: Partial<EntrySettings>): ServerSpec;
  /** Starts it again, where that is not the host's business. */
  revive(): Promise<void>;
  /**
   * Its processes that are alive, and those of its children; `[]` for a server that the host does
   * not start.
   */
  livePids(): readonly number[];
}

/** What a server does, and where it runs: over HTTP in this process, unless `inChild`. */
export interface SubjectOptions {
  readonly rules?: readonly FaultRule[];
  readonly inChild?: boolean;
}

/** Starts a server. */
export async function startSubject({ transport, era }: TransportRow, options: SubjectOptions = {}): Promise<Subject> {
  const { rules = [], inChild = false } = options;
  const control = await startFaultServer({ transport, runIn: inChild ? "child" : "process", script: { era, rules } });
  const to: ServerEntry = control.spec;
  return {
    control,
    spec: (rest = {}) => ({ id: "s", ...to, timeouts: { closeMs: 1000 }, ...rest }),
    async revive() {
      if ("restart" in control) await control.restart();
    },
    livePids: () => ("livePids" in control ? control.livePids() : []),
    [Symbol.asyncDispose]: () => control.close(),
  };
}
