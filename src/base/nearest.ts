/** Number of edits that turn one word into another. Swapping two neighboring letters counts as one. */
export const editDistance = (from: string, to: string): number => {
  let [before, last]: [number[], number[]] = [[], Array.from({ length: to.length + 1 }, (_, index) => index)];
  for (let i = 1; i <= from.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= to.length; j += 1) {
      const same = from[i - 1] === to[j - 1];
      const isSwap = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
      row[j] = Math.min(last[j]! + 1, row[j - 1]! + 1, last[j - 1]! + (same ? 0 : 1));
      if (isSwap) row[j] = Math.min(row[j]!, before[j - 2]! + 1);
    }
    [before, last] = [last, row];
  }
  return last[to.length]!;
};

/** The candidate closest to a mistyped word, or undefined if none is close enough. */
export const nearest = (word: string, candidates: Iterable<string>): string | undefined => {
  const lowerWord = word.toLowerCase();
  let best: { candidate: string; edits: number } | undefined;
  for (const candidate of candidates) {
    const lower = candidate.toLowerCase();
    const most = Math.max(1, Math.floor(lower.length / 3));
    // A short beginning of a long word says too little: `all` isn't `allow-refresh`.
    const isPrefix = lower.startsWith(lowerWord) && lowerWord.length >= Math.max(3, most);
    // Each edit changes the length by at most one, and counting edits is slow.
    if (!isPrefix && Math.abs(lowerWord.length - lower.length) > most) continue;
    const edits = isPrefix ? 1 : editDistance(lowerWord, lower);
    if (edits <= most && (best === undefined || edits < best.edits)) best = { candidate, edits };
  }
  return best?.candidate;
};

/** Letters without a separable accent, and what people type instead. */
const plain: Readonly<Record<string, string>> = {
  ł: 'l',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  ħ: 'h',
  ı: 'i',
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  þ: 'th',
};

/** Normalizes a text for searching: no case, accents, ligatures or repeated spaces. */
export const fold = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[łøđðħıßæœþ]/g, (letter) => plain[letter]!)
    .replace(/\s+/g, ' ')
    .trim();
