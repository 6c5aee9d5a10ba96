/** Returns the ID at the end of a record's `uri`. A bare ID is returned unchanged. */
export const idIn = (uri: unknown): string => String(uri).split('/').at(-1)!;

/** The text without its percent-encoding, or undefined if that is malformed. */
export const decodeUri = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
};

/** The parsed address, or undefined if the text is none. Parses it once, unlike `URL.canParse` and then `new URL`. */
export const urlIn = (text: string): URL | undefined => {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
};

/** `127.0.0.0/8`, `[::1]` and `localhost`. */
export const isLoopback = (hostname: string): boolean => /^(localhost|\[::1\]|::1|127(\.\d{1,3}){3})$/.test(hostname);

/** Whether a URL names this machine. */
export const isLoopbackUrl = (value: string): boolean => URL.canParse(value) && isLoopback(new URL(value).hostname);

/** The fewest characters of an ID that people may type, and that lists show. */
export const shortestId = 4;

/** The beginning of each ID that no other ID of the list has. */
export const uniqueBeginnings = (ids: Iterable<string>): Map<string, string> => {
  // In this order, the ID with the longest common beginning is a neighbor.
  const sortedIds = [...new Set(ids)].sort();
  const common = (one = '', other = ''): number => {
    let length = 0;
    while (length < one.length && one[length] === other[length]) length += 1;
    return length;
  };
  return new Map(
    sortedIds.map((id, index) => {
      const commonLength = Math.max(common(id, sortedIds[index - 1]), common(id, sortedIds[index + 1]));
      return [id, id.slice(0, Math.max(shortestId, commonLength + 1))];
    }),
  );
};
