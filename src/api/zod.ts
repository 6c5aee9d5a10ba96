import {
  array,
  boolean,
  discriminatedUnion,
  email,
  enum as enumeration,
  int,
  iso,
  literal,
  looseObject,
  nullable,
  optional,
  strictObject,
  string,
} from 'zod';

const parts = {
  array,
  boolean,
  discriminatedUnion,
  email,
  enumeration,
  int,
  iso,
  literal,
  looseObject,
  nullable,
  optional,
  strictObject,
  string,
};

export type Zod = typeof parts;

/** The parts of zod that schemas are made of. In the bundle they load when this is first called. */
export const zod = (): Zod => parts;
