import type { RE2JS } from "re2js";
import type { KeywordInput, Pattern } from "./run.ts";

/** The one engine for patterns: RE2's, in JavaScript. */
export type PatternEngine = typeof RE2JS;

const longestPattern = 1000;
const mostSize = 40_000;
const mostSizeOfAll = 60_000;

/**
 * Makes a reader for the patterns of one schema. Patterns are a server's own texts and run on what
 * models and servers write, so that only an engine will do whose time is linear in the text. A
 * pattern with a feature that the engine lacks (look-ahead and look-behind, back references, a
 * repeat of more than 1,000) cannot be matched. Throws a `TypeError` when the patterns of the
 * schema would make programs of more than 60,000 instructions.
 */
export function createPatternReader(engine: PatternEngine): KeywordInput["patterns"] {
  const known = new Map<string, Pattern | undefined>();
  let sizeOfAll = 0;
  return (source) => {
    if (known.has(source)) return known.get(source);
    const size = estimateSize(source);
    sizeOfAll += size;
    if (source.length > longestPattern || size > mostSize || sizeOfAll > mostSizeOfAll) {
      throw new TypeError("its patterns are too large");
    }
    const pattern = compilePattern(source, engine);
    known.set(source, pattern);
    return pattern;
  };
}

function compilePattern(source: string, engine: PatternEngine): Pattern | undefined {
  try {
    const compiled = engine.compile(toEngineSyntax(engine.translateRegExp(source)));
    return { size: compiled.programSize(), test: (text) => compiled.test(text) };
  } catch {
    // Whether it is wrong or only beyond this engine makes no difference: it cannot be looked for.
    return undefined;
  }
}

// The engine bounds what nested repeats make of a piece at 1,000 times.
function estimateSize(source: string): number {
  let product = 1;
  for (const [, least = "", most = ""] of source.matchAll(/\{(\d{1,6})(?:,(\d{0,6}))?\}/g)) {
    product *= Math.max(1, Number(least), Number(most));
  }
  return source.length * Math.min(1000, product);
}

// What ECMAScript calls space and the end of a line, and RE2 only in ASCII.
const spaces = String.raw`\s\x0b\x{a0}\x{feff}\x{2028}\x{2029}\p{Z}`;
const lineEnds = String.raw`\n\r\x{2028}\x{2029}`;
const property = /^\\([pP])\{(?:Script|sc|Script_Extensions|scx|General_Category|gc)=(\w{1,40})\}/;

/**
 * Translates what means something else to the engine than in ECMAScript, written so that it means
 * the same.
 */
function toEngineSyntax(source: string): string {
  let result = "";
  let isInClass = false;
  for (let at = 0; at < source.length;) {
    let length = 1;
    let text = source.charAt(at);
    if (text === "\\") {
      const escaped = source.charAt(at + 1);
      length = 2;
      text += escaped;
      const named = property.exec(source.slice(at, at + 80));
      if (named !== null) [length, text] = [named[0].length, `\\${named[1]}{${named[2]}}`];
      else if (escaped === "s") text = isInClass ? spaces : `[${spaces}]`;
      else if (escaped === "S" && !isInClass) text = `[^${spaces}]`;
    } else if (text === "[" && !isInClass) {
      isInClass = true;
    } else if (text === "[") {
      // A class of ASCII by name, which ECMAScript has not.
      text = String.raw`\[`;
    } else if (text === "]") {
      isInClass = false;
    } else if (text === "." && !isInClass) {
      text = `[^${lineEnds}]`;
    }
    result += text;
    at += length;
  }
  return result;
}
