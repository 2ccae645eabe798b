import { type ServeSettings, type HostSettings, type ConfigProblem } from "@hostside/config";
import type { Admit, ToolDefinition } from "@hostside/core";
import { matchGlob } from "@hostside/policy";
import { usageError } from "../exit-codes.ts";
import { terminalLine } from "../render/render-text.ts";

/** Arguments of `serve`. */
export interface ServeArguments {
  /** Beats what files say; without a file, it is about all servers. */
  readonly expose?: ServeSettings["expose"];
  readonly readOnly?: boolean | undefined;
  readonly requireApproval?: boolean | undefined;
  readonly redact?: boolean | undefined;
  /** A lock file of `hostside lock`. */
  readonly lock?: string | undefined;
  /** A file that gets a line for each call. */
  readonly callLog?: string | undefined;
  /** `true`: calls are traced by the registered SDK of OpenTelemetry. */
  readonly otel?: boolean | undefined;
  /** The address to listen at; `true`: the default. Absent: stdio. */
  readonly http?: string | true | undefined;
  readonly anyAddress?: boolean | undefined;
  readonly publicUrl?: string | undefined;
  readonly tokenFile?: string | undefined;
  readonly printToken?: boolean | undefined;
  readonly printConfig?: string | undefined;
}

/** The offer for clients. */
export interface ServeOffer {
  readonly expose: NonNullable<ServeSettings["expose"]>;
  readonly readOnly: boolean;
  readonly requireApproval: boolean;
  readonly redact: boolean;
  /** A list that names nothing. */
  readonly isEmpty: boolean;
  /** Decides about tools. Among tools that are on no server, only sign-in tools are offered. */
  readonly admit: Admit;
  /** Tells if all of a server is offered, which decides about its resources and prompts. */
  readonly hasServer: (serverId: string, scope: string | undefined) => boolean;
  /** Tells if anything of a server may be offered. The others are not started. */
  readonly usesServer: (serverId: string, scope: string | undefined) => boolean;
  /** Entries that mean no server there is. */
  readonly unknown: readonly string[];
  /** Entries that name one tool of this server, and it is not among these. */
  readonly unmatched: (serverId: string, tools: readonly ToolDefinition[]) => readonly string[];
}

/**
 * Reads the offer from the command line, the user's files and the project's. The project's block is
 * used in place of the user's; of servers that are not the project's own it offers nothing that the
 * user's word does not offer, too. `readOnly`, `requireApproval` and `redact` hold wherever they
 * were said.
 *
 * Throws a usage error where nobody has said what is offered, or an entry makes no sense. Pure.
 */
export function readOffer(
  flags: ServeArguments,
  { serve: own, projectServe: ofProject }: Pick<HostSettings, "serve" | "projectServe">,
  serverIds: readonly string[],
): ServeOffer {
  const block = ofProject ?? own;
  const says = (one: ServeSettings | undefined): boolean => one?.expose !== undefined || one?.tools !== undefined;
  if (flags.expose === undefined && !says(block)) {
    throw usageError(
      "nothing is offered: neither the command line nor a hostside.json says what is",
      "hostside serve --expose search offers all your servers behind five tools",
    );
  }
  // Without a list, everything is offered.
  const used = block?.tools?.map(readEntry);
  const users = says(own) || flags.expose !== undefined ? own?.tools?.map(readEntry) : [];
  const isOffered = (scope: string | undefined, names: (entry: OfferEntry) => boolean): boolean =>
    [used, ofProject === undefined || scope === "project" ? undefined : users].every(
      (list) => list === undefined || list.some(names),
    );
  const isSaid = (name: "readOnly" | "requireApproval" | "redact"): boolean =>
    [flags, own, ofProject].some((one) => one?.[name] === true);
  const readOnly = isSaid("readOnly");
  return {
    expose: flags.expose ?? block?.expose ?? "all",
    readOnly,
    requireApproval: isSaid("requireApproval"),
    redact: isSaid("redact"),
    isEmpty: used?.length === 0,
    admit(tool, server) {
      if (readOnly && tool.effect !== "pure") return "hide";
      // Those of the host that read what was cut off: nothing is cut off here.
      if (server === undefined) return tool.effect === "pure" ? "hide" : "offer";
      const { toolName = tool.name } = tool.origin ?? {};
      const isNamed = (entry: OfferEntry): boolean => entry.hasServer(server.id) && entry.hasTool(toolName);
      return isOffered(server.labels["scope"], isNamed) ? "offer" : "hide";
    },
    hasServer: (id, scope) => isOffered(scope, ({ isWhole, hasServer }) => isWhole && hasServer(id)),
    usesServer: (id, scope) => isOffered(scope, ({ hasServer }) => hasServer(id)),
    unknown: (used ?? []).flatMap(({ text, hasServer }) => (serverIds.some(hasServer) ? [] : [text])),
    unmatched: (id, tools) =>
      (used ?? []).flatMap(({ text, isWhole, hasTool }) => {
        const isOther = isWhole || !text.startsWith(`${id}/`);
        const isThere = ({ origin }: ToolDefinition): boolean => origin?.serverId === id && hasTool(origin.toolName);
        return isOther || tools.some(isThere) ? [] : [text];
      }),
  };
}

/** An entry of a list of tools. */
interface OfferEntry {
  readonly text: string;
  readonly hasServer: (serverId: string) => boolean;
  readonly hasTool: (toolName: string) => boolean;
  /** It names all of its servers. */
  readonly isWhole: boolean;
}

function readEntry(text: string): OfferEntry {
  const [, server, tool = "*"] = /^([^/]+)(?:\/(.+))?$/s.exec(text) ?? [];
  if (server !== undefined)
    return { text, hasServer: matchGlob(server), hasTool: matchGlob(tool), isWhole: tool === "*" };
  const shown = JSON.stringify(terminalLine(text, 200));
  throw usageError(`serve.tools of hostside.json makes no sense: ${shown}`, 'an entry is "server" or "server/tool"');
}

/**
 * Finds the error because of which nothing of `serve` in a file is used: one in it, or one that
 * costs the whole file.
 */
export function serveProblem(problems: readonly ConfigProblem[]): ConfigProblem | undefined {
  const errors = problems.filter(({ severity }) => severity === "error");
  return (
    errors.find(({ path }) => /^serve(?:\.|$)/.test(path)) ??
    errors.find(({ path, file = "" }) => path === "" && /hostside\.jsonc?$/.test(file))
  );
}
