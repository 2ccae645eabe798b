import { assertServerSpec, ToolportError, type Connector, type ServerSpec } from "@toolport/core";
import { normalizeServerId, type NamingStrategy } from "@toolport/naming";

/** Checks a spec whole, before anything starts. Throws `invalid_spec` or `unsupported_transport`. */
export function checkSpec(spec: ServerSpec, connector: Connector): void {
  assertServerSpec(spec);
  connector.check?.(spec);
}

/**
 * Checks the specs that a provider starts with: each one by itself, then that no two have the same id, or ids that look the same in
 * names (AN-15). Throws `invalid_spec`, `unsupported_transport` or `duplicate_server`.
 */
export function checkSpecs(specs: readonly ServerSpec[], connector: Connector, naming: NamingStrategy): void {
  const ids: string[] = [];
  for (const spec of specs) {
    checkSpec(spec, connector);
    checkId(spec.id, ids, naming);
    ids.push(spec.id);
  }
}

/** Throws `duplicate_server` when the id is taken, or is told from one of `ids` by nothing that shows in a name. */
export function checkId(id: string, ids: Iterable<string>, naming: NamingStrategy): void {
  const normalized = normalizeServerId(id, naming);
  for (const other of ids) {
    if (other === id) {
      throw new ToolportError(`server ${JSON.stringify(id)} already exists`, {
        code: "duplicate_server",
        serverId: id,
      });
    }
    if (normalizeServerId(other, naming) !== normalized) continue;
    throw new ToolportError(
      `server ${JSON.stringify(id)} collides with server ${JSON.stringify(other)}: both ids are ${JSON.stringify(normalized)} in tool names`,
      { code: "duplicate_server", serverId: id, details: { field: "id" } },
    );
  }
}
