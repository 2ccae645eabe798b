import type { ConfigChange, ConfigReport } from "@hostside/config/node";
import type { Diagnostic, Event } from "@hostside/core";
import { createEvent } from "@hostside/core/implement";
import type { ConfigOptions, HostOptions } from "../contract/host-options.ts";
import type { FollowedFiles, FollowingFiles } from "./follow-files.ts";
import { createServerSources, type ServerSources, type SourcesInit } from "./server-sources.ts";

/** Parts of {@linkcode openConfiguration}. */
export interface OpeningConfig extends SourcesInit, Omit<FollowingFiles, "servers" | "end" | "applyNow" | "emit"> {
  readonly options: Pick<HostOptions, "config" | "servers" | "provider">;
  readonly report: (diagnostic: Diagnostic) => void;
}

/** The servers that there are, and where they come from. */
export interface Configuration extends ServerSources {
  /** How long it took, without what took a human. */
  readonly spentMs: number;
  readonly onReport: Event<ConfigReport>;
  /** Nothing is read, watched or applied any more. Idempotent. */
  close(): Promise<void>;
}

const applyMs = 10_000;

/**
 * Settles the servers of all sources. Rejects as `followFiles()` does; nothing of it is left then.
 */
export async function openConfiguration(opening: OpeningConfig): Promise<Configuration> {
  const { shared } = opening;
  const wanted = readConfigOptions(opening.options.config);
  const servers = createServerSources(opening, wanted);
  const end = new AbortController();
  const reports = createEvent<ConfigReport>();
  const applyNow = async (): Promise<ConfigChange | undefined> => {
    try {
      const { added, updated, removed, failed } = await servers.apply({ signal: end.signal, timeoutMs: applyMs });
      return { added, updated, removed, failed };
    } catch (error) {
      const why = error instanceof Error ? error.message : "they were refused";
      const message = `servers could not be applied: ${why}`;
      // Whoever closes wants no more of it.
      if (!end.signal.aborted) opening.report({ kind: "setting-unused", serverId: "", message });
      return undefined;
    }
  };
  shared?.start(() => {
    servers.take();
    void applyNow();
  });
  let files: FollowedFiles | undefined;
  const close = async (): Promise<void> => {
    end.abort();
    shared?.close();
    reports.close();
    await files?.close();
  };
  try {
    if (wanted !== undefined) {
      const { followFiles } = await import("./follow-files.ts");
      const emit = (report: ConfigReport): void => reports.emit(report);
      files = await followFiles(wanted, { ...opening, servers, end, applyNow, emit });
    }
  } catch (error) {
    await close();
    throw error;
  }
  return Object.assign(servers, { spentMs: files?.spentMs ?? 0, onReport: reports.on, close });
}

function readConfigOptions(config: HostOptions["config"]): ConfigOptions | undefined {
  if (config === "auto") return { files: "auto" };
  if (typeof config === "string") return { files: [config] };
  return isList(config) ? { files: config } : config;
}

function isList<T>(given: readonly T[] | object | undefined): given is readonly T[] {
  return Array.isArray(given);
}
