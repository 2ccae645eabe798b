import {
  cleanText,
  type JsonObject,
  type RemoteTool,
  type ServerSpec,
  type ToolAnnotations,
  type ToolDefinition,
  type ToolEffect,
  type ToolFlag,
  type ToolOrigin,
  type ToolOverride,
  type AdmissionServer,
} from "@hostside/core";
import {
  cleanData,
  cleanSchema,
  dropUnseen,
  freezeData,
  effectOfHints,
  inspectedTexts,
  serverWords,
  sharingOf,
} from "@hostside/core/implement";
import { hashJson } from "@hostside/naming";
import { registrationOf } from "./fingerprint-reach.ts";

/** Writes the description that a model reads. Gets untrusted texts, and returns one. */
export type DescribeTool = (tool: RemoteTool, spec: ServerSpec) => string;

/**
 * A definition of the catalogue; it always says where it comes from, and what it does, and knows
 * the tool that it was made from. A copy of one does not.
 */
export type CatalogTool = ListedTool;

// Titles and names are quoted in one line.
const longestQuote = 256;
const plainName = /^[\w./-]{0,256}$/;

/**
 * The default description: ``MCP server `<id>` tool `<name>`. Title: <title>. <description>``.
 * Tells a model and an auditor whose words these are: a backtick in a name or title is an
 * apostrophe here, so that neither can be more than one quotation. Texts that are flagged are
 * stripped of control, bidirectional and invisible characters.
 */
export function describeWithOrigin(tool: RemoteTool, { id }: ServerSpec): string {
  const title = quote(tool.title ?? tool.annotations?.title ?? "");
  const words = (tool.description ?? "").trim();
  const description = tool.flags === undefined ? words : cleanText(words);
  const parts = [`MCP server \`${quote(id)}\` tool \`${quote(tool.name)}\`.`];
  if (title !== "") parts.push(`Title: ${title}.`);
  if (description !== "") parts.push(description);
  return parts.join(" ");
}

/** The server's own description, unchanged. */
export function describeVerbatim({ description = "" }: RemoteTool): string {
  return description;
}

/** The parts of a definition besides the tool. */
export interface DefinitionParts {
  readonly spec: ServerSpec;
  readonly listed: ListingOrigin;
  readonly localName: string;
  /** The start of the qualified names of the server's tools. */
  readonly qualifier: string;
  readonly groupIds: readonly string[];
  readonly describe: DescribeTool;
}

/**
 * A remote tool as a model gets it, with the host's words in place of the server's where the spec
 * has some, and without unseen characters. Schemas and annotations without any are the very objects
 * that the server sent, frozen throughout: every reader gets the same ones.
 */
export function defineTool(tool: RemoteTool, parts: DefinitionParts): CatalogTool {
  const definition = new ListedTool(tool, parts);
  Object.freeze(definition);
  return definition;
}

/** The tool that a definition was made from. */
export function toolOf(definition: CatalogTool): RemoteTool {
  return ListedTool.toolOf(definition);
}

/** Which server listed a tool; `undefined` for a definition that no provider made. */
export function listingOriginOf(definition: ToolDefinition): ListingOrigin | undefined {
  return ListedTool.originOf(definition);
}

/** The wish of a caller. */
const known = new WeakMap<ToolDefinition, string>();

// A class, because what costs something when it is read stands once on its prototype. To give each
// of ten thousand definitions getters of its own took longer than to make and freeze all of them.
class ListedTool implements ToolDefinition {
  // A member, because a table of ten thousand of them would be larger, and slow to collect garbage
  // around.
  readonly #tool: RemoteTool;
  readonly #listed: ListingOrigin;
  declare readonly name: string;
  declare readonly title?: string;
  declare readonly description: string;
  declare readonly inputSchema: JsonObject;
  declare readonly outputSchema?: JsonObject;
  declare readonly annotations?: ToolAnnotations;
  declare readonly effect: ToolEffect;
  declare readonly requireApproval?: boolean;
  declare readonly origin: ToolOrigin;
  declare readonly groupIds: readonly string[];
  declare readonly flags?: readonly ToolFlag[];

  constructor(tool: RemoteTool, { spec, listed, localName, qualifier, groupIds, describe }: DefinitionParts) {
    const { id: serverId } = spec;
    const { name: toolName } = tool;
    const override = overrideOf(spec, toolName);
    const description = dropUnseen(describe(override === undefined ? tool : reword(tool, override), spec));
    shareText(tool, description);
    const effect = decideEffect(tool, spec);
    this.#tool = tool;
    this.#listed = listed;
    this.name = localName;
    this.description = description;
    const isOdd = tool.flags !== undefined;
    this.inputSchema = freezeData(isOdd ? cleanSchema(tool.inputSchema) : tool.inputSchema);
    this.effect = effect;
    this.origin = Object.freeze({ serverId, toolName, qualifiedName: `${qualifier}${toolName}` });
    this.groupIds = groupIds;
    const title = override?.title ?? tool.title;
    if (title !== undefined) this.title = dropUnseen(title);
    // Results have no unseen characters either, so that their names stay those of this schema.
    const { outputSchema, annotations } = tool;
    if (outputSchema !== undefined) this.outputSchema = freezeData(isOdd ? cleanData(outputSchema) : outputSchema);
    if (annotations !== undefined) this.annotations = freezeData(isOdd ? cleanData({ ...annotations }) : annotations);
    if (override?.requireApproval !== undefined) this.requireApproval = override.requireApproval;
    if (tool.flags !== undefined) this.flags = freezeData(tool.flags);
  }

  static toolOf(definition: CatalogTool): RemoteTool {
    return definition.#tool;
  }

  static originOf(definition: ToolDefinition): ListingOrigin | undefined {
    return #listed in definition ? definition.#listed : undefined;
  }

  get fingerprint(): string | undefined {
    // What only inherits from a definition is as a copy of one.
    if (!(#tool in this)) return undefined;
    const fingerprint = known.get(this) ?? fingerprintTool(this.#tool);
    if (fingerprint !== undefined) known.set(this, fingerprint);
    return fingerprint;
  }

  get entry(): JsonObject | undefined {
    return this.fingerprint === undefined ? undefined : freezeData(entryOf(this.#tool));
  }
}

// Definitions are plain data to whoever asks for their class, as libraries do, and nobody changes
// them for all others.
Object.defineProperty(ListedTool.prototype, "constructor", { value: Object });
Object.defineProperty(ListedTool.prototype, inspectedTexts, { value: true });
Object.freeze(ListedTool.prototype);

/**
 * Makes the server's words of a tool a part of the description that ends with them: the same text,
 * which takes no room of its own. A connector may hand out what cannot be changed.
 */
function shareText(tool: RemoteTool, description: string): void {
  const words = tool.description ?? "";
  if (words !== "" && words.length < description.length && description.endsWith(words)) {
    Reflect.set(tool, "description", description.slice(description.length - words.length));
  }
}

/** The tool with the host's words for it. */
function reword(tool: RemoteTool, { title = tool.title, description = tool.description }: ToolOverride): RemoteTool {
  return { ...tool, ...(title !== undefined && { title }), ...(description !== undefined && { description }) };
}

/**
 * A text for the inside of a sentence, in one line. A backtick would end the quotation that it
 * stands in.
 */
function quote(text: string): string {
  // Most names are plain, and cleaning nothing costs more than looking.
  if (plainName.test(text)) return text;
  const clean = cleanText(text, longestQuote);
  return clean.replaceAll("\n", " ").replaceAll("`", "'").trim();
}

/** Returns the entry for a tool in its server's spec. */
function overrideOf({ tools }: ServerSpec, toolName: string): ToolOverride | undefined {
  // A server may call a tool as every object has a member.
  return tools !== undefined && Object.hasOwn(tools, toolName) ? tools[toolName] : undefined;
}

/**
 * Decides the effect of a tool, as the host knows it: by its own word; else, where it trusts the
 * server, by the server's hints; else it is `"external"`.
 */
export function decideEffect({ name, annotations = {} }: RemoteTool, spec: ServerSpec): ToolEffect {
  const said = overrideOf(spec, name)?.effect;
  return said ?? (spec.trustAnnotations === true ? effectOfHints(annotations) : "external");
}

/**
 * The hash of the entry that a tool was read from; `undefined` where the entry could not be kept,
 * or cannot be written.
 */
function fingerprintTool(tool: RemoteTool): string | undefined {
  if (tool.flags?.includes("extras-dropped") === true) return undefined;
  try {
    return hashJson(entryOf(tool));
  } catch {
    // Of a connector that lets in what nothing can write: nested too deep, or in a circle.
    return undefined;
  }
}

/** The entry of `tools/list` that a tool was read from. */
function entryOf({
  name,
  title,
  description,
  inputSchema,
  outputSchema,
  annotations,
  meta,
  extras,
}: RemoteTool): JsonObject {
  const shown = { ...annotations };
  return {
    name,
    title,
    description,
    inputSchema,
    outputSchema,
    annotations: annotations && shown,
    _meta: meta,
    ...extras,
  };
}

const claims = ["version", "name", "title", "description", "instructions"] as const;

type Info = { readonly [member in (typeof claims)[number]]?: string | undefined };

const described = new WeakMap<ServerSpec, { readonly info: Info | undefined; readonly server: AdmissionServer }>();
let lastRevision = 0;

/**
 * Describes a server in the host's own words, with the version that it says it has and what else it
 * says of itself, for whoever decides about its tools and requests; the same object for the same
 * spec, version and words. `info` is absent while it has not been listed.
 */
export function describeServer(spec: ServerSpec, info: Info | undefined): AdmissionServer {
  const known = described.get(spec);
  if (known !== undefined && isSame(known.info, info)) return known.server;
  const { id, labels = {}, title, perCaller } = spec;
  const revision = known?.server.revision ?? (lastRevision += 1);
  const server = Object.freeze({
    id,
    labels,
    ...(title !== undefined && { title }),
    ...(info?.version !== undefined && { version: info.version }),
    ...(info !== undefined && { words: serverWords(info) }),
    // A hash, which most hosts never read.
    get registration() {
      return registrationOf(spec);
    },
    revision,
    sharing: sharingOf(spec),
    ...(perCaller !== undefined && { perCaller }),
  });
  described.set(spec, { info, server });
  return server;
}

function isSame(one: Info | undefined, other: Info | undefined): boolean {
  if (one === other) return true;
  return one !== undefined && other !== undefined && claims.every((member) => one[member] === other[member]);
}

/** Which server listed something. */
export interface ListingOrigin {
  readonly spec: ServerSpec;
  /** How often the server came back as another one. */
  readonly replacements: number;
  /** Stands for the provider, which counts the replacements. */
  readonly provider: object;
}

/**
 * Says whether two listings are of one registration, and of one server in it. Between providers
 * only the registration counts.
 */
export function isSameOrigin(a: ListingOrigin, b: ListingOrigin): boolean {
  if (a.provider === b.provider && a.replacements !== b.replacements) return false;
  if (a.spec === b.spec) return true;
  return codeOf(a.spec) === codeOf(b.spec) && registrationOf(a.spec) === registrationOf(b.spec);
}

// What is no data has no other sign than being the same object.
function codeOf(spec: ServerSpec): unknown {
  return spec.type === "memory" ? spec.serve : spec.type === "custom" ? spec.open : undefined;
}
