import type { JsonObject, RemoteTool, ServerInfo, ToolListing } from "@hostside/core";
import { isJsonObject } from "@hostside/core/implement";
import type { TaskHandling } from "../message/client-identity.ts";

/**
 * The tools of one connection that can be called as tasks of 2025-11-25 alone. Empty where the host
 * does not wait for tasks.
 */
export interface TasksOnly {
  has(toolName: string): boolean;
  /** Takes over what the latest listing says. */
  learn(listing: ToolListing): void;
}

/** What {@linkcode TasksOnly} go by. */
export interface TasksOnlyInit {
  readonly tasks: TaskHandling | undefined;
  readonly server: ServerInfo;
}

/** Starts without any. */
export function createTasksOnly({ tasks, server }: TasksOnlyInit): TasksOnly {
  return tasks === "await" && takesTasks(server) ? new NamesOfTasks() : noTasks;
}

class NamesOfTasks implements TasksOnly {
  #names: ReadonlySet<string> | undefined;

  has(toolName: string): boolean {
    return this.#names?.has(toolName) === true;
  }

  learn({ tools }: ToolListing): void {
    this.#names = new Set(tools.filter(isForTasksOnly).map(({ name }) => name));
  }
}

const noTasks: TasksOnly = { has: () => false, learn: () => undefined };

/**
 * Whether calls of this server may become tasks: no other revision has these, and without its word
 * no tool is called so, whatever its listing says.
 * https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks
 */
function takesTasks({ protocolVersion, capabilities }: ServerInfo): boolean {
  if (protocolVersion !== "2025-11-25") return false;
  const requests = memberOf(capabilities["tasks"], "requests");
  return isJsonObject(memberOf(memberOf(requests, "tools"), "call"));
}

function isForTasksOnly({ extras }: RemoteTool): boolean {
  return memberOf(extras?.["execution"], "taskSupport") === "required";
}

function memberOf(value: JsonObject[string] | undefined, name: string): JsonObject[string] | undefined {
  return isJsonObject(value) ? value[name] : undefined;
}
