import { readdirSync, readFileSync } from "node:fs";
import type { JsonObject, ToolDefinition, ToolGroup } from "@hostside/core";
import { assignNames, localNameOf, qualifiedName } from "@hostside/naming";

/** One server of the data set: its group, and its tools as a host would declare them. */
export interface ToolSetServer {
  readonly id: string;
  /**
   * `recorded`: as a published server lists it; `listed`: of that, what a search reads; `written`:
   * written for the data set.
   */
  readonly source: "recorded" | "listed" | "written";
  readonly group: ToolGroup;
  readonly tools: readonly ToolDefinition[];
}

const dataDir = new URL("../../data/search/", import.meta.url);

/** The data set: every recorded server, then every written one, each kind by id. */
export function readToolSet(): readonly ToolSetServer[] {
  return nameTools([...readAll("recorded"), ...readWritten(readFileSync(new URL("written.txt", dataDir), "utf8"))]);
}

/**
 * Every published server of which the tools are known: the recorded ones, then the listed ones,
 * each kind by id.
 */
export function readPublishedSet(): readonly ToolSetServer[] {
  return nameTools([...readAll("recorded"), ...readAll("listed")]);
}

/** A server before its tools have local names. */
export interface UnnamedServer {
  readonly id: string;
  readonly source: ToolSetServer["source"];
  readonly group: Omit<ToolGroup, "id" | "members">;
  /** Under their remote names. */
  readonly tools: readonly ToolDefinition[];
}

/** Gives every tool the local name it would have in a host. */
export function nameTools(servers: readonly UnnamedServer[]): readonly ToolSetServer[] {
  const identities = servers.flatMap(({ id, tools }) => tools.map(({ name }) => ({ serverId: id, toolName: name })));
  const { names } = assignNames(identities);
  return servers.map(({ id, source, group, tools }) => {
    const groupId = `mcp:${id}`;
    const named = tools.map((tool) => {
      const identity = { serverId: id, toolName: tool.name };
      const name = localNameOf(names, identity) ?? tool.name;
      return { ...tool, name, origin: { ...identity, qualifiedName: qualifiedName(identity) }, groupIds: [groupId] };
    });
    return {
      id,
      source,
      group: { ...group, id: groupId, members: named.map(({ name }) => name).sort() },
      tools: named,
    };
  });
}

interface Recording {
  readonly id: string;
  readonly title: string;
  readonly instructions?: string;
  readonly tools: readonly {
    readonly name: string;
    readonly title?: string;
    readonly description?: string;
    readonly inputSchema: JsonObject;
  }[];
}

function readAll(source: "recorded" | "listed"): readonly UnnamedServer[] {
  return readdirSync(new URL(`${source}/`, dataDir))
    .sort()
    .map((file) => readRecorded(readFileSync(new URL(`${source}/${file}`, dataDir), "utf8"), source));
}

function readRecorded(text: string, source: "recorded" | "listed"): UnnamedServer {
  const { id, title, instructions, tools }: Recording = JSON.parse(text);
  const description = `Tools provided by MCP server \`${id}\`.`;
  return {
    id,
    source,
    group: { title, description, ...(instructions !== undefined && { instructions }) },
    tools: tools.map((tool) => ({ ...tool, description: tool.description ?? "" })),
  };
}

function readWritten(text: string): readonly UnnamedServer[] {
  return text
    .split(/^## /m)
    .slice(1)
    .map((block) => {
      const [head = "", ...lines] = block.trim().split("\n");
      const [id = "", title = "", description = ""] = head.split(" | ");
      const tools = lines.map((line) => {
        const [name = "", about = "", parameters = ""] = line.split("|").map((part) => part.trim());
        return { name, description: about, inputSchema: readParameters(parameters) };
      });
      return { id, source: "written", group: { title, description }, tools };
    });
}

/** Reads the short notation of written.txt: `to*[], limit#, reply_all?`. */
function readParameters(text: string): JsonObject {
  const parameters = text === "" ? [] : text.split(", ");
  const names = parameters.map((parameter) => parameter.replaceAll(/[*#?[\]]/g, ""));
  const properties = parameters.map((parameter, index) => [names[index], typeOf(parameter)]);
  const required = names.filter((_, index) => parameters[index]?.includes("*"));
  return { type: "object", properties: Object.fromEntries(properties), required };
}

function typeOf(parameter: string): JsonObject {
  if (parameter.includes("[]")) return { type: "array", items: { type: "string" } };
  if (parameter.includes("#")) return { type: "number" };
  return { type: parameter.includes("?") ? "boolean" : "string" };
}
