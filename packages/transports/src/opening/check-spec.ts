import { assertServerSpec, type ServerSpec } from "@hostside/core";
import { checkHttpSpec } from "@hostside/core/implement";
import { assertStdioSpec } from "../stdio/assert-stdio-spec.ts";

/**
 * Checks a spec before anything starts. Pure; throws `invalid_spec`, naming the field and the rule,
 * never a secret.
 */
export function checkSpec(spec: unknown): asserts spec is ServerSpec {
  assertServerSpec(spec);
  checkHttpSpec(spec);
  if (spec.command !== undefined) assertStdioSpec(spec);
}
