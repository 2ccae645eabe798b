import type { ResultPresenter } from "@hostside/results";

/** Whether something that was given as a presenter has what is called. */
export function isPresenter(value: ResultPresenter | null): boolean {
  return typeof value?.present === "function" && typeof value.presentError === "function";
}
