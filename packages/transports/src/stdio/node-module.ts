import type * as processes from "node:child_process";
import type * as os from "node:os";

/** A module of Node's own, at once; `undefined` in a runtime that has none. An `import` would be a module to load, and break in a browser. */
export function nodeModule<Name extends keyof NodeModules>(name: Name): NodeModules[Name] | undefined {
  const { process } = globalThis as { readonly process?: Partial<NodeJS.Process> };
  return process?.getBuiltinModule?.(name);
}

interface NodeModules {
  readonly "node:child_process": typeof processes;
  readonly "node:os": typeof os;
}
