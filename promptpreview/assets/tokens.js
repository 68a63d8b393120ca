// How many tokens texts take: about, because each model has a tokenizer of its own. The
// tables are large, so the page loads this file when it has shown a result.

import { BytePairEncodingCore } from "./third_party/gpt-tokenizer/BytePairEncodingCore.js";
import { CL100K_TOKEN_SPLIT_REGEX } from "./third_party/gpt-tokenizer/encodingParams/constants.js";
import ranks from "./third_party/gpt-tokenizer/bpeRanks/cl100k_base.js";

// tokenizer is the name of the tables.
export const tokenizer = "cl100k_base";

const maxCounted = 100_000; // characters; of a longer text, the rest counts as the beginning
const maxWord = 200; // characters; merging takes the square of the length

const core = new BytePairEncodingCore({ bytePairRankDecoder: ranks, tokenSplitRegex: CL100K_TOKEN_SPLIT_REGEX });

// countTokens returns about how many tokens a text takes.
export function countTokens(text) {
  const counted = text.slice(0, maxCounted);
  let n = 0;
  for (const [word] of counted.matchAll(CL100K_TOKEN_SPLIT_REGEX)) {
    if (core.getBpeRankFromString(word) !== undefined) n++;
    else for (let i = 0; i < word.length; i += maxWord) n += core.bytePairEncode(word.slice(i, i + maxWord)).length;
  }
  return counted.length < text.length ? Math.round((n * text.length) / counted.length) : n;
}
