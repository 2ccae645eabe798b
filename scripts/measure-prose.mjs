// Measures how English text reads. Code, tables, link targets and headings are left out first.

const minWords = 4;
const maxWords = 30;
const oddStart = /^(?:Who|Whoever|What|Of|Where|Whose|One that|Those|That of)\b/;

/**
 * Measures the sentences of texts that have at least four words.
 * @param {string[]} texts
 * @returns {{ wordsPerSentence: number, longSentences: number, oddStarts: number }} The last two are percentages: sentences of over
 *   30 words, and sentences that do not begin with their subject but with "Who", "What", "Of" and the like.
 */
export function measureProse(texts) {
  const sentences = texts
    .flatMap((text) => text.split(/\n|(?<=[.!?:])\s+(?=[A-Z`*"[])/))
    .map((text) => ({ text: text.trim(), words: text.split(/\s+/).filter((word) => /[a-z]/i.test(word)).length }))
    .filter(({ words }) => words >= minWords);
  const count = Math.max(sentences.length, 1);
  const words = sentences.reduce((sum, sentence) => sum + sentence.words, 0);
  return {
    wordsPerSentence: round(words / count),
    longSentences: round((100 * sentences.filter((sentence) => sentence.words > maxWords).length) / count),
    oddStarts: round((100 * sentences.filter(({ text }) => oddStart.test(text)).length) / count),
  };
}

/**
 * Returns the prose of a Markdown page, each paragraph and each item of a list on one line.
 * @param {string} page
 */
export function proseOfPage(page) {
  return page
    .replaceAll(/```[\s\S]*?```/g, "")
    .replaceAll(/^\|.*$/gm, "")
    .replaceAll(/^\s*(?:[-*]|\d+\.) /gm, "\n\n")
    .replaceAll(/`[^`]*`/g, "`x`")
    .replaceAll(/\]\([^)]*\)/g, "")
    .replaceAll(/^#.*$/gm, "")
    .replaceAll(/\n(?!\n)/g, " ");
}

/**
 * Returns the prose of the doc comments of a file.
 * @param {string} code
 */
export function proseOfCode(code) {
  return [...code.matchAll(/\/\*\*([\s\S]*?)\*\//g)]
    .map(([, comment = ""]) => comment.replaceAll(/```[\s\S]*?```/g, "").replaceAll(/^\s*\* ?/gm, " "))
    .map(
      (comment) =>
        `${comment
          .replaceAll(/`[^`]*`/g, "x")
          .replaceAll(/\s+/g, " ")
          .trim()}.`,
    )
    .join(" ");
}

/** @param {number} value */
function round(value) {
  return Math.round(10 * value) / 10;
}
