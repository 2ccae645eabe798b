import { present, presentError, type ResultPresenter } from "@hostside/results";

/**
 * A presenter with the defaults of `@hostside/results`, which keeps nothing: what is too big is
 * cut, and a notice says so.
 */
export const plainPresenter: ResultPresenter = {
  present: (outcome) => present(outcome, "blocks"),
  presentError: (error) => presentError(error, "blocks"),
};
