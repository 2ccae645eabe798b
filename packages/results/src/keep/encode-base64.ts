// A call takes only so many arguments; a multiple of 3, so that only the end is padded.
const chunkBytes = 24_576;

/** Bytes as base64, with padding. Linear. */
export function encodeBase64(data: Uint8Array): string {
  let text = "";
  for (let at = 0; at < data.length; at += chunkBytes) {
    text += btoa(String.fromCharCode(...data.subarray(at, at + chunkBytes)));
  }
  return text;
}

/** The bytes of base64 that was checked: standard alphabet, padded, no blanks. */
export function decodeBase64(text: string): Uint8Array {
  const binary = atob(text);
  const data = new Uint8Array(binary.length);
  for (let at = 0; at < binary.length; at += 1) data[at] = binary.charCodeAt(at);
  return data;
}
