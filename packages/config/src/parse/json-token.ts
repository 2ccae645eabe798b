/**
 * Kinds of tokens, as numbers: the enumeration of the library is a `const enum`, which is gone at
 * run time.
 */
export const token = {
  openBrace: 1,
  closeBrace: 2,
  openBracket: 3,
  closeBracket: 4,
  comma: 5,
  colon: 6,
  lineComment: 12,
  blockComment: 13,
  lineBreak: 14,
  trivia: 15,
  unknown: 16,
  end: 17,
} as const;
