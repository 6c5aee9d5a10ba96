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

/** `127.0.0.0/8`, `[::1]` and `localhost`. */
export const isLoopback = (hostname: string): boolean => /^(localhost|\[::1\]|::1|127(\.\d{1,3}){3})$/.test(hostname);

/** Whether a URL names this machine. */
export const isLoopbackUrl = (value: string): boolean => URL.canParse(value) && isLoopback(new URL(value).hostname);
