import type { JsonValue } from "@hostside/core";
import { isJsonObject } from "@hostside/core/implement";
import { excerpt } from "./handshake.ts";

/** What is wrong with a block of content, in words. */
export function blockProblem(block: JsonValue | undefined): string | undefined {
  if (!isJsonObject(block) || typeof block["type"] !== "string") return `a block without a type: ${excerpt(block)}`;
  const { type, data, mimeType } = block;
  switch (type) {
    case "text":
      return typeof block["text"] === "string" ? undefined : `a text block without text: ${excerpt(block)}`;
    case "image":
    case "audio":
      if (!isMediaType(mimeType)) return `mimeType ${excerpt(mimeType)} of ${type} content`;
      return isBase64(data) ? undefined : `data of ${type} content is no base64: ${excerpt(data)}`;
    case "resource":
      return contentsProblem(block["resource"]);
    case "resource_link":
      if (!isUri(block["uri"])) return `a link with uri ${excerpt(block["uri"])}`;
      return typeof block["name"] === "string" ? undefined : `a link without a name: ${excerpt(block)}`;
    default:
      return undefined;
  }
}

/** What is wrong with the contents of a resource, in words. */
export function contentsProblem(contents: JsonValue | undefined): string | undefined {
  if (!isJsonObject(contents)) return `contents ${excerpt(contents)}`;
  const { uri, text, blob } = contents;
  if (!isUri(uri)) return `contents with uri ${excerpt(uri)}`;
  if (typeof text === "string" && blob === undefined) return undefined;
  if (blob === undefined) return `contents of ${uri} with neither text nor blob: ${excerpt(contents)}`;
  return isBase64(blob) ? undefined : `blob of ${uri} is no base64: ${excerpt(blob)}`;
}

/** Whether a value is a URI with a scheme, and without characters that no URI has (RFC 3986). */
export function isUri(value: JsonValue | undefined): value is string {
  return typeof value === "string" && /^[a-z][a-z0-9+.-]*:[^\s<>"{}|\\^`\u0000-\u001F]*$/i.test(value);
}

/** Whether a value is a media type such as `text/plain; charset=utf-8`. */
export function isMediaType(value: JsonValue | undefined): boolean {
  return typeof value === "string" && /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+ *(?:;.*)?$/.test(value);
}

/** Whether a value is base64 by RFC 4648, section 4: no `data:` URI, no line breaks, with padding. */
function isBase64(value: JsonValue | undefined): boolean {
  return typeof value === "string" && value.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(value);
}

const variable = String.raw`(?:\w|%[0-9a-f]{2})(?:\.?(?:\w|%[0-9a-f]{2}))*(?::[1-9]\d{0,3}|\*)?`;
const template = new RegExp(String.raw`^(?:[^\s<>"{}|\\^\x60]|\{[+#./;?&]?${variable}(?:,${variable})*\})*$`, "i");

/** Whether a value is a URI template by RFC 6570. */
export function isUriTemplate(value: JsonValue | undefined): value is string {
  return typeof value === "string" && value !== "" && template.test(value);
}

/** The name of the first variable of a URI template. */
export function firstVariable(uriTemplate: string): string | undefined {
  return /\{[+#./;?&]?([\w.%]+)/.exec(uriTemplate)?.[1];
}
