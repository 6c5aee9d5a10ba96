/** The ID at the end of a record's `uri`. A bare ID is returned as it is. */
export const idIn = (uri: unknown): string => String(uri).split('/').at(-1)!;
