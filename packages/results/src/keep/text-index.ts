/**
 * Where the characters of a text are in its UTF-8, well enough to find each by reading a little. A
 * character is a Unicode code point.
 */
export interface TextIndex {
  readonly characters: number;
  /** How many characters lie between two marks; 0 where each character is one byte. */
  readonly stride: number;
  /** The byte at which character `stride` begins, `2 * stride`, and so on. */
  readonly marks: readonly number[];
}

/** Bytes in which some characters are, and how many characters come before them there. */
export interface CharacterRange {
  readonly offset: number;
  readonly length: number;
  readonly skip: number;
}

const leastStride = 4096;
const mostMarks = 1024;

/**
 * Makes the index of a text in UTF-8. Linear; the index has a bounded size, whatever the text. One
 * that is known to be ASCII is not looked at.
 */
export function indexText(data: Uint8Array, isAscii = false): TextIndex {
  if (isAscii) return { characters: data.length, stride: 0, marks: [] };
  let characters = 0;
  let stride = leastStride;
  let marks: number[] = [];
  let next = stride;
  // By index: an iterator takes ten times as long.
  for (let at = 0; at < data.length; at += 1) {
    if (!beginsCharacter(data[at] ?? 0)) continue;
    if (characters === next) {
      marks.push(at);
      next += stride;
    }
    characters += 1;
  }
  if (characters === data.length) return { characters, stride: 0, marks: [] };
  for (; stride * mostMarks < characters; stride *= 2) marks = marks.filter((_, index) => index % 2 === 1);
  return { characters, stride, marks };
}

/**
 * The bytes in which the characters from `start` to before `end` are. `bytes`: the size of the
 * whole text.
 */
export function rangeOfCharacters(
  { stride, marks }: TextIndex,
  bytes: number,
  { start, end }: { readonly start: number; readonly end: number },
): CharacterRange {
  if (stride === 0) return { offset: start, length: end - start, skip: 0 };
  const first = Math.floor(start / stride);
  const offset = first === 0 ? 0 : (marks[first - 1] ?? bytes);
  const last = marks[Math.ceil(end / stride) - 1] ?? bytes;
  return { offset, length: Math.max(0, last - offset), skip: start - first * stride };
}

/**
 * Of UTF-8 that begins with a whole character, `count` characters after the first `skip`, and no
 * more than `maxBytes` of them.
 */
export function takeCharacters(
  data: Uint8Array,
  skip: number,
  { count, maxBytes }: { readonly count: number; readonly maxBytes: number },
): { readonly data: Uint8Array; readonly characters: number } {
  const from = byteOf(data, 0, skip);
  let at = from;
  let characters = 0;
  while (characters < count && at < data.length) {
    const next = byteOf(data, at, 1);
    if (next - from > maxBytes) break;
    at = next;
    characters += 1;
  }
  return { data: data.subarray(from, at), characters };
}

/** The byte that is `characters` after the one at `from`. */
function byteOf(data: Uint8Array, from: number, characters: number): number {
  let at = from;
  for (let left = characters; left > 0 && at < data.length; left -= 1) {
    at += 1;
    while (at < data.length && !beginsCharacter(data[at] ?? 0)) at += 1;
  }
  return at;
}

function beginsCharacter(byte: number): boolean {
  return (byte & 0xc0) !== 0x80;
}
