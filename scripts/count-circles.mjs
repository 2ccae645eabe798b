/**
 * Counts the circles of a directed graph: groups of two nodes or more that all lead to each other.
 * @param {Map<string, Set<string>>} edges
 */
export function countCircles(edges) {
  const reached = new Map([...edges.keys()].map((node) => [node, findReachable(edges, node)]));
  const circles = new Set();
  for (const [node, others] of reached) {
    const group = [...others].filter((other) => reached.get(other)?.has(node)).toSorted();
    if (group.length > 1) circles.add(group.join(" "));
  }
  return circles.size;
}

/**
 * @param {Map<string, Set<string>>} edges
 * @param {string} start
 */
function findReachable(edges, start) {
  /** @type {Set<string>} */
  const reached = new Set();
  const waiting = [...(edges.get(start) ?? [])];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (reached.has(node)) continue;
    reached.add(node);
    waiting.push(...(edges.get(node) ?? []));
  }
  return reached;
}
