const prime = 0x01000193;

/**
 * 8 hexadecimal digits that stand for a name: FNV-1a over its UTF-16 units, high byte first. It
 * keeps names apart that would be cut alike; it keeps nobody from making two names with the same
 * digits, so whoever uses it looks whether the name is taken.
 * http://www.isthe.com/chongo/tech/comp/fnv/
 */
export function hashName(name: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < name.length; at++) {
    const unit = name.charCodeAt(at);
    hash = Math.imul(hash ^ (unit >> 8), prime);
    hash = Math.imul(hash ^ (unit & 0xff), prime);
  }
  return (hash >>> 0).toString(16).padStart(8, "0");
}
