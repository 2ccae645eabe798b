import { present, presentError, type ResultPresenter } from "@toolport/results";

/** A presenter with the defaults of `@toolport/results`, which keeps nothing: what is too big is cut, and a notice says so. */
export const plainPresenter: ResultPresenter = {
  present: (outcome) => present(outcome, "blocks"),
  presentError: (error) => presentError(error, "blocks"),
};
