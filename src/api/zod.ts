import * as z from 'zod';

/** Named one by one, so that the bundle leaves out the rest. */
const parts = {
  array: z.array,
  boolean: z.boolean,
  discriminatedUnion: z.discriminatedUnion,
  enum: z.enum,
  int: z.int,
  iso: z.iso,
  literal: z.literal,
  looseObject: z.looseObject,
  nullable: z.nullable,
  optional: z.optional,
  strictObject: z.strictObject,
  string: z.string,
  stringFormat: z.stringFormat,
};

export type Zod = typeof parts;

/** The parts of zod that schemas are made of. In the bundle they load when this is first called. */
export const zod = (): Zod => parts;
