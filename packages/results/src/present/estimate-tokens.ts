/**
 * About how many tokens a text costs a language model, from the shape of its characters alone: a small letter or a blank a quarter, a
 * capital, a digit or a mark half, anything beyond ASCII one (half for each half of a surrogate pair). For prose and JSON it is rather too
 * much than too little; random letters such as base64 cost more. Who has the tokenizer of the model gives that one.
 */
export function estimateTokens(text: string): number {
  let quarters = 0;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit <= 32 || (unit >= 97 && unit <= 122)) quarters += 1;
    else if (unit < 128 || (unit >= 0xd800 && unit <= 0xdfff)) quarters += 2;
    else quarters += 4;
  }
  return Math.ceil(quarters / 4);
}
