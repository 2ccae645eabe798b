import { assertServerSpec, type ServerSpec, type StdioEntry } from "@hostside/core";
import { checkHttpSpec, specError } from "@hostside/core/implement";

/**
 * Checks a spec before anything starts. Pure; throws `invalid_spec`, naming the field and the rule,
 * never a secret.
 */
export function checkSpec(spec: unknown): asserts spec is ServerSpec {
  assertServerSpec(spec);
  checkHttpSpec(spec);
  if (spec.command !== undefined) assertStdioSpec(spec);
}

/**
 * Checks what an operating system cannot pass on to a process: NUL characters anywhere, and `=` or
 * nothing in a variable's name.
 */
function assertStdioSpec({ id, command, args, env, cwd }: StdioEntry & Pick<ServerSpec, "id">): void {
  const assertText = (field: string, text: string): void => {
    if (text.includes("\0")) throw specError(id, field, "must not contain a NUL character");
  };
  assertText("command", command);
  args?.forEach((argument, index) => assertText(`args.${index}`, argument));
  for (const [name, value] of Object.entries(env ?? {})) {
    if (name === "" || name.includes("=") || name.includes("\0"))
      throw specError(id, "env", `has a name that is no variable name: ${JSON.stringify(name)}`);
    assertText(`env.${name}`, value);
  }
  if (cwd === undefined) return;
  if (cwd.trim() === "") throw specError(id, "cwd", "must not be blank");
  assertText("cwd", cwd);
}
