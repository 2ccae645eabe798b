import { truncateText, type ContentAnnotations, type ContentIcon, type JsonObject } from "@hostside/core";
import { isJsonObject, readContentAnnotations, readIcons } from "@hostside/core/implement";
import type { TruncatedField, ListedEntry, Resource, ResourceTemplate } from "@hostside/core";
import type { ListDefinition } from "./list-kind.ts";

/** UTF-16 units of a URI or a template of one: more names nothing. */
export const longestUri = 8192;
/** UTF-16 units of a name or title that are kept. */
export const longestName = 1024;
/** UTF-16 units of a description that are kept. */
export const longestDescription = 8192;
/** UTF-16 units of a MIME type: a longer one is left out. */
export const longestMimeType = 256;

/** The lists of resources. */
export const resourceKind: ListDefinition<Resource> = {
  method: "resources/list",
  member: "resources",
  capability: "resources",
  keyOf: ({ uri }) => uri,
  read(entry, serverId) {
    const uri = readIdentity(entry["uri"], "uri");
    if (typeof uri !== "object") return uri;
    const listed = readListedEntry(entry, serverId);
    if (typeof listed === "string") return listed;
    const { size } = entry;
    return {
      ...listed,
      uri: uri.text,
      ...readContentHints(entry),
      ...(isFiniteNumber(size) && size >= 0 && { size }),
    };
  },
};

/** The lists of templates. */
export const templateKind: ListDefinition<ResourceTemplate> = {
  method: "resources/templates/list",
  member: "resourceTemplates",
  capability: "resources",
  keyOf: ({ uriTemplate }) => uriTemplate,
  read(entry, serverId) {
    const uriTemplate = readIdentity(entry["uriTemplate"], "uriTemplate");
    if (typeof uriTemplate !== "object") return uriTemplate;
    const listed = readListedEntry(entry, serverId);
    return typeof listed === "string"
      ? listed
      : { ...listed, uriTemplate: uriTemplate.text, ...readContentHints(entry) };
  },
};

// An identity is never cut: it would be another one.
function readIdentity(value: unknown, member: string): { readonly text: string } | string {
  if (typeof value !== "string" || value === "") return `its ${member} is no text, or empty`;
  // Nobody could ask for it: half a character cannot be sent.
  if (!value.isWellFormed()) return `its ${member} has half a character (a lone surrogate) in it`;
  return value.length > longestUri ? `its ${member} is longer than ${longestUri} UTF-16 units` : { text: value };
}

/**
 * Reads what entries of all kinds have; a text says why one cannot be used. Members of a wrong type
 * are left out, long texts are cut.
 */
export function readListedEntry(entry: JsonObject, serverId: string): ListedEntry | string {
  const { name, title, description, icons, _meta: meta } = entry;
  if (typeof name !== "string") return "its name is no text";
  const cut: TruncatedField[] = [];
  const read = (text: string, member: TruncatedField, most: number): string => {
    if (text.length > most) cut.push(member);
    return truncateText(text, most);
  };
  return {
    serverId,
    name: read(name, "name", longestName),
    ...(typeof title === "string" && { title: read(title, "title", longestName) }),
    ...(typeof description === "string" && { description: read(description, "description", longestDescription) }),
    ...(Array.isArray(icons) && { icons: readIcons(icons) as readonly ContentIcon[] }),
    ...(isJsonObject(meta) && { meta }),
    ...(cut.length > 0 && { cut }),
  };
}

function readContentHints({ mimeType, annotations }: JsonObject): Pick<Resource, "mimeType" | "annotations"> {
  return {
    ...(typeof mimeType === "string" && mimeType.length <= longestMimeType && { mimeType }),
    ...(isJsonObject(annotations) && { annotations: readContentAnnotations(annotations) as ContentAnnotations }),
  };
}

// 1e999 is valid JSON, and is infinite then.
function isFiniteNumber(value: unknown): value is number {
  return Number.isFinite(value);
}
