import { createMemoryCredentials } from "@toolport/auth";
import { createMemoryStore } from "@toolport/core";
import type { ToolportOptions, ToolportState } from "../toolport-options.ts";
import { userState } from "./user-state.ts";

/** Where a toolport keeps what outlives a call. */
export function chooseState({
  state,
  config,
  clock,
}: Pick<ToolportOptions, "state" | "config" | "clock">): ToolportState {
  if (typeof state === "object") return state;
  const isUsers = state === undefined ? config === "auto" : state === "user";
  return isUsers
    ? userState()
    : { store: createMemoryStore({ clock }), credentials: createMemoryCredentials({ clock }) };
}
