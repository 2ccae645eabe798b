/**
 * The lock for something that is kept under a key that ends with a hash or with randomness: one of
 * 256 for each kind, because a lock among processes may leave something behind for each key that it
 * was ever asked for.
 */
export function lockKey(key: string): string {
  const end = key.slice(key.lastIndexOf(":") + 1);
  return `${key.slice(0, -end.length)}lock:${end.slice(-2)}`;
}
