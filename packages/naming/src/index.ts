// For products: give names, look them up, keep them.
export { assignNames, type NameAssignment, type NameCollision } from "./assign-names.ts";
export { emptyNames, identityOf, localNameOf, withoutNames, withoutServer, type NameTable } from "./name-table.ts";
export { loadNames, saveNames, type SavedNames } from "./saved-names.ts";
export { evvaNaming, nexoNaming, qualifiedNaming, hostsideNaming, verbatimNaming } from "./naming-strategy.ts";
export { type NamingStrategy, isPossibleName } from "./naming-strategy.ts";
export { hashJson } from "./hash-json.ts";
export { parseToolName, qualifiedName, type ToolIdentity } from "./name-table.ts";

// For those who implement a provider or a strategy of their own.
export {
  assertNamingStrategy,
  isLegalFunctionName,
  isLegalName,
  normalizeServerId,
  toolNamePrefix,
} from "./naming-strategy.ts";
