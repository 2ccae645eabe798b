/** Makes that many bytes which nobody can guess. Not a `Random`, whose numbers are for jitter. */
export type RandomBytes = (length: number) => Uint8Array;

/** The bytes of the runtime's own generator for secrets. */
export const systemRandomBytes: RandomBytes = (length) => crypto.getRandomValues(new Uint8Array(length));

const nameBytes = 16;

/** 32 hexadecimal digits that nobody can guess. */
export function randomName(randomBytes: RandomBytes): string {
  return Array.from(randomBytes(nameBytes), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Whether a text has the form of a {@linkcode randomName}. */
export function isRandomName(text: string): boolean {
  return /^[0-9a-f]{32}$/.test(text);
}
