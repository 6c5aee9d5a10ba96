/** A problem with the input as a whole. The message never quotes an item, only names of columns and fields. */
export class BadInput extends Error {}
