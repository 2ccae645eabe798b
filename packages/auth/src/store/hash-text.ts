/** SHA-256 of a text in UTF-8. */
export async function hashText(text: string): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
}

/**
 * The same as 64 hexadecimal digits: for names of files and keys of databases, of which some do not
 * know capitals apart.
 */
export async function hashNameHex(text: string): Promise<string> {
  return Array.from(await hashText(text), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
