const reads: unique symbol = Symbol("reads");

type Read = () => unknown;

// By the names of their getters; as many as there are places in the code.
const shapes = new Map<string, object>();

/**
 * Gives `members` a getter for each of `own`, and returns it. The getters stand on a prototype that
 * all objects with the same names share: an object literal with getters of its own is a table of
 * its own to the engine, four times as large and slow to read. They do not appear in a spread.
 */
export function withGetters<Whole extends object, Name extends keyof Whole & string>(
  members: Omit<Whole, Name>,
  own: { readonly [Own in Name]: () => Whole[Own] },
): Whole {
  Object.defineProperty(members, reads, { value: own });
  return Object.setPrototypeOf(members, shapeOf(Object.keys(own))) as Whole;
}

function shapeOf(names: readonly string[]): object {
  const key = names.join();
  const known = shapes.get(key);
  if (known !== undefined) return known;
  const shape = {};
  for (const name of names) {
    Object.defineProperty(shape, name, {
      enumerable: true,
      get(this: { readonly [reads]?: Readonly<Record<string, Read>> }) {
        // The prototype itself has none.
        return this[reads]?.[name]?.();
      },
    });
  }
  shapes.set(key, shape);
  return shape;
}
