const entities: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
};

const decodeEntity = (entity: string, code: string): string => {
  if (!code.startsWith('#')) return entities[code.toLowerCase()] ?? entity;
  const isHex = /^#x/i.test(code);
  const point = Number.parseInt(code.slice(isHex ? 2 : 1), isHex ? 16 : 10);
  return point <= 0x10ffff ? String.fromCodePoint(point) : entity;
};

/**
 * The text of an HTML fragment, without its tags. The result is still untrusted: entities can stand for any
 * character, so it must be sanitized like all text from the service.
 */
export const htmlText = (html: string): string =>
  html
    .replace(/<[^<>]*>/g, ' ')
    // Entities come last, so that an escaped tag stays visible as text.
    .replace(/&(#x[\da-f]{1,6}|#\d{1,7}|[a-z]{2,8});/gi, decodeEntity);
