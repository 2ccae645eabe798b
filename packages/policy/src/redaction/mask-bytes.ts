import { maskText, maskValuesAlone, type Search } from "./mask-text.ts";

interface TextMember {
  readonly owner: object;
  readonly name: string;
  readonly text: string;
}

const base64 = /^[A-Za-z0-9+/\s]+={0,2}\s*$/;
// What is shorter is read as a text: no picture is.
const shortestBytes = 64;
const textual =
  /^(?:text\/|application\/(?:json|xml|yaml|x-yaml|toml|javascript|x-sh)|[^;]{0,100}\+(?:json|xml|yaml))/i;

/**
 * Masks the bytes of pictures, sounds and resources, and `data:` URIs; `undefined` for what is a
 * text like any other. Bytes that are a text by their media type, or have none and are UTF-8, are
 * decoded, masked and encoded again. Of others only values that the host knows are looked for, as
 * Base64 shows them: a picture stays a picture.
 */
export function maskBytes({ owner, name, text }: TextMember, search: Search): string | undefined {
  if (text.length < shortestBytes && name !== "blob") return undefined;
  if (name === "blob" || (name === "data" && isMedia(owner))) {
    return base64.test(text) ? maskBase64(text, typeOf(owner), search) : undefined;
  }
  if (!text.startsWith("data:")) return undefined;
  const comma = text.indexOf(",");
  const head = text.slice(0, comma + 1);
  if (!head.endsWith(";base64,") || head.length > 200 || !base64.test(text.slice(comma + 1))) return undefined;
  return maskText(head, search) + maskBase64(text.slice(comma + 1), head.slice("data:".length), search);
}

function isMedia(owner: object): boolean {
  const type: unknown = Reflect.get(owner, "type");
  return type === "image" || type === "audio";
}

function typeOf(owner: object): string {
  const type: unknown = Reflect.get(owner, "mimeType");
  return typeof type === "string" ? type : "";
}

function maskBase64(encoded: string, type: string, search: Search): string {
  const text = type === "" || textual.test(type) ? decode(encoded) : undefined;
  if (text === undefined) return maskValuesAlone(encoded, search);
  const masked = maskText(text, search);
  return masked === text ? encoded : encode(masked);
}

function decode(encoded: string): string | undefined {
  try {
    const binary = atob(encoded);
    const bytes = new Uint8Array(binary.length);
    for (let at = 0; at < bytes.length; at += 1) bytes[at] = binary.charCodeAt(at);
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function encode(text: string): string {
  const bytes = new TextEncoder().encode(text);
  const parts: string[] = [];
  for (let at = 0; at < bytes.length; at += 8192) parts.push(String.fromCharCode(...bytes.subarray(at, at + 8192)));
  return btoa(parts.join(""));
}
