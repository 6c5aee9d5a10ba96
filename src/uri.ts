/** Returns the ID at the end of a record's `uri`. A bare ID is returned unchanged. */
export const idIn = (uri: unknown): string => String(uri).split('/').at(-1)!;
