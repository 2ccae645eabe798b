import { endOfString } from "@hostside/core/implement";

const quote = 0x22;
const comma = 0x2c;

/** How many messages a batch may have: a server may batch what it has to say at one moment. */
const mostBatched = 1000;

/** What a batch of more is. */
export const tooManyMessages: string = `a batch of more than ${mostBatched} messages`;

/**
 * Whether a JSON text is a batch of more than 1,000 messages; found out as by
 * {@linkcode hasMoreMembers}.
 */
export function isLargeBatch(text: string): boolean {
  return startsLikeBatch(text) && hasMoreMembers(text, mostBatched);
}

function startsLikeBatch(text: string): boolean {
  const first = text.charCodeAt(0);
  return first === 0x5b || (first !== 0x7b && text.trimStart().startsWith("["));
}

/**
 * Whether the JSON text of an array has more than `most` members, found out without parsing it: to
 * make the millions of objects that fit into one line takes seconds. Stops as soon as it knows. Of
 * a text that is no JSON it says anything.
 */
export function hasMoreMembers(text: string, most: number): boolean {
  let depth = 0;
  let commas = 0;
  for (let index = 0; index < text.length; index += 1) {
    switch (text.charCodeAt(index)) {
      case quote:
        index = endOfString(text, index);
        break;
      case 0x5b:
      case 0x7b:
        depth += 1;
        break;
      case 0x5d:
      case 0x7d:
        depth -= 1;
        break;
      case comma:
        if (depth === 1) commas += 1;
        if (commas >= most) return true;
        break;
    }
  }
  return false;
}
