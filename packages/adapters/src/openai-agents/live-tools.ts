/**
 * An array that is read anew whenever somebody goes through it (`[...tools]`, `for of`), which the
 * framework does before each turn: first what `read` gives now, then whatever others have pushed
 * onto it. `read` gets the names of those.
 */
export function liveTools<T extends { readonly name: string }>(
  read: (taken: ReadonlySet<string>) => readonly T[],
): T[] {
  const tools: T[] = [];
  let given: ReadonlySet<T> = new Set();
  const walk = tools[Symbol.iterator].bind(tools);
  const update = (): void => {
    // Not by the iterator, which would come back here.
    const others = tools.filter((tool) => !given.has(tool));
    const fresh = read(new Set(others.map(({ name }) => name)));
    given = new Set(fresh);
    tools.length = 0;
    for (const list of [fresh, others]) for (const tool of list) tools.push(tool);
  };
  Object.defineProperty(tools, Symbol.iterator, {
    value: () => {
      update();
      return walk();
    },
  });
  update();
  return tools;
}
