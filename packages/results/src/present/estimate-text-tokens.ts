/**
 * About how many tokens a text costs a language model, from the shape of its characters alone: a
 * small letter or a blank a quarter, a digit or a mark five eighths, a capital or half a surrogate
 * pair three quarters, anything else one. Against o200k it is a tenth too much for English prose, a
 * quarter for JSON and sources, two fifths for Chinese, and up to a quarter too little for random
 * letters such as base64. Who has the tokenizer of the model gives that one.
 */
export function estimateTextTokens(text: string): number {
  let eighths = 0;
  for (let at = 0; at < text.length; at += 1) eighths += weightOf(text.charCodeAt(at));
  return Math.ceil(eighths / 8);
}

function weightOf(unit: number): number {
  if (unit <= 32 || (unit >= 97 && unit <= 122)) return 2;
  if (unit >= 65 && unit <= 90) return 6;
  if (unit < 128) return 5;
  return unit >= 0xd800 && unit <= 0xdfff ? 6 : 8;
}
