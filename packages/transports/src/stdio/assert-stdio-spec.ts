import type { ServerSpec, StdioTransportSpec } from "@hostside/core";
import { specError } from "@hostside/core/implement";

/**
 * Checks what an operating system cannot pass on to a process: NUL characters anywhere, and `=` or nothing in a variable's name.
 * Pure, so that a connector can check a spec before anything starts, in any runtime.
 *
 * Throws `invalid_spec` with the field, never a value.
 */
export function assertStdioSpec(serverId: ServerSpec["id"], transport: StdioTransportSpec): void {
  const assertText = (field: string, text: string): void => {
    if (text.includes("\0")) throw specError(serverId, `transport.${field}`, "must not contain a NUL character");
  };
  assertText("command", transport.command);
  transport.args?.forEach((argument, index) => assertText(`args.${index}`, argument));
  for (const [name, value] of Object.entries(transport.env ?? {})) {
    if (name === "" || name.includes("=") || name.includes("\0"))
      throw specError(serverId, "transport.env", `has a name that is no variable name: ${JSON.stringify(name)}`);
    assertText(`env.${name}`, value);
  }
  if (transport.cwd === undefined) return;
  if (transport.cwd.trim() === "") throw specError(serverId, "transport.cwd", "must not be blank");
  assertText("cwd", transport.cwd);
}
