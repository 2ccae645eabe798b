/** How a piece of terminal output is meant; `plain` styles nothing. */
export interface TextStyle {
  readonly good: (text: string) => string;
  readonly bad: (text: string) => string;
  readonly warn: (text: string) => string;
  readonly faint: (text: string) => string;
  readonly strong: (text: string) => string;
}

const sgr =
  (on: number, off: number) =>
  (text: string): string =>
    `\u001B[${on}m${text}\u001B[${off}m`;

/** Styles for a terminal that shows colours. */
export const colours: TextStyle = {
  good: sgr(32, 39),
  bad: sgr(31, 39),
  warn: sgr(33, 39),
  faint: sgr(2, 22),
  strong: sgr(1, 22),
};

const same = (text: string): string => text;

/** No styles: for files, pipes and `NO_COLOR`. */
export const plain: TextStyle = { good: same, bad: same, warn: same, faint: same, strong: same };
