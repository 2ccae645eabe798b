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
      throw duplicateError(id, "already exists; choose another id, or give it another spec with updateServer()");
    }
    if (normalizeServerId(other, naming) !== normalized) continue;
    const [rival, shown] = [JSON.stringify(other), JSON.stringify(normalized)];
    throw duplicateError(id, `collides with server ${rival}: both ids are ${shown} in tool names; choose another id`);
  }
}

function duplicateError(id: string, what: string): ToolportError {
  return new ToolportError(`server ${JSON.stringify(id)} ${what}`, {
    code: "duplicate_server",
    serverId: id,
    details: { field: "id" },
  });
}
