import type { ServerSpec, StdioEntry } from "@hostside/core";
import { specError } from "@hostside/core/implement";

/**
 * Checks what an operating system cannot pass on to a process: NUL characters anywhere, and `=` or
 * nothing in a variable's name. Pure, so that a connector can check a spec before anything starts,
 * in any runtime.
 *
 * Throws `invalid_spec` with the field, never a value.
 */
export function assertStdioSpec(spec: StdioEntry & Pick<ServerSpec, "id">): void {
  const { id, command, args, env, cwd } = spec;
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
