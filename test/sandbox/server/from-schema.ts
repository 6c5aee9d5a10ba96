import * as fc from 'fast-check';

// biome-ignore lint/suspicious/noExplicitAny: a test reads any document
type Json = any;

const stringOf = ({ enum: choices, pattern, format, maxLength = 60 }: Json): fc.Arbitrary<unknown> => {
  if (choices) return fc.constantFrom(...choices);
  if (format === 'date-time')
    return fc
      .date({ min: new Date('2026-01-01'), max: new Date('2026-12-31'), noInvalidDate: true })
      .map((date) => date.toISOString());
  if (format === 'email') return fc.emailAddress();
  if (format === 'uri') return fc.webUrl();
  if (pattern === '^[A-Za-z0-9_-]{1,128}$') return fc.stringMatching(/^[A-Za-z0-9_-]{1,20}$/);
  return fc.string({ maxLength: Math.min(maxLength, 60), unit: 'grapheme' });
};

/** Generates values for a JSON Schema. Unsupported keywords give any string, which may be invalid. */
export const fromSchema = (schema: Json): fc.Arbitrary<unknown> => {
  if (schema.const !== undefined) return fc.constant(schema.const);
  const options = schema.anyOf ?? schema.oneOf;
  if (options) return fc.oneof(...options.map(fromSchema));
  if (schema.allOf) return fromSchema(Object.assign({}, ...schema.allOf));
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  const { minimum = -10, maximum = 1000 } = schema;
  if (type === 'null') return fc.constant(null);
  if (type === 'boolean') return fc.boolean();
  if (type === 'integer') return fc.integer({ min: Math.max(minimum, -1e6), max: Math.min(maximum, 1e6) });
  if (type === 'number') return fc.double({ min: Math.max(minimum, -1e6), max: Math.min(maximum, 1e6), noNaN: true });
  if (type === 'array')
    return fc.array(fromSchema(schema.items ?? {}), {
      minLength: schema.minItems ?? 0,
      maxLength: Math.min(schema.maxItems ?? 3, 3),
    });
  if (type === 'object') {
    const properties = Object.fromEntries(
      Object.entries(schema.properties ?? {}).map(([name, each]) => [name, fromSchema(each)]),
    );
    return fc.record(properties, { requiredKeys: schema.required ?? [] });
  }
  return stringOf(schema);
};
