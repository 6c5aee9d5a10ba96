import * as z from 'zod/mini';
import type { Template } from './template.ts';

const template = z.custom<Template>();
const templates = z.record(z.string(), template);
const positive = z.int().check(z.gte(1));

/** How a service differs in one operation. What is not set is as in the catalogue. */
const Wire = z.strictObject({
  method: z.optional(z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])),
  path: z.optional(z.string()),
  /** By the service's name. Inputs that no template names are sent as in the catalogue. */
  query: z.optional(templates),
  body: z.optional(templates),
  /** Inputs that the service doesn't have. */
  lacks: z.optional(z.array(z.string())),
  /** Inputs that the service requires, though the catalogue doesn't. */
  needs: z.optional(z.array(z.string())),
  reply: z.optional(
    z.strictObject({
      /** For the sandbox and OpenAPI: the client takes any 2xx. */
      status: z.optional(z.int().check(z.gte(200), z.lte(299))),
      /** For the sandbox too: what the service replies in place of 409, and the parameter that it blames. */
      conflict: z.optional(
        z.strictObject({ status: z.int().check(z.gte(400), z.lte(499)), parameter: z.optional(z.string()) }),
      ),
      /** The key of the record or the list. */
      in: z.optional(z.string()),
      record: z.optional(template),
      /** The records may have no `uri`. */
      no_uri: z.optional(z.literal(true)),
      /** The reply is not the record, so the record is read afterwards. */
      read_back: z.optional(z.literal(true)),
    }),
  ),
  page_size: z.optional(positive),
  /** The longest time window of one request. */
  max_days: z.optional(positive),
});

/** How the pages of a service are embedded, and how they tell it. */
const EmbedFamily = z.strictObject({
  /** Of the elements that the script fills. */
  class: z.string().check(z.regex(/^[a-z][a-z0-9-]*$/, 'must be the name of a class, in lower case')),
  /** Of the names of messages: `calendly` for `calendly.event_scheduled`. */
  prefix: z.string().check(z.regex(/^[a-z][a-z0-9_-]*$/, 'must be a word in lower case')),
  /** How a height is written: `810`, or `"810px"`. */
  height: z.enum(['number', 'px']),
});

/** A dialect as people write it. */
export const DialectFile = z.strictObject({
  dialect: z.literal(1),
  name: z.string().check(z.regex(/^[a-z0-9][a-z0-9-]{0,39}$/, 'must have only lower-case letters, digits and -')),
  operations: z.optional(z.record(z.string(), z.union([z.literal(false), Wire]))),
  /** Fields that differ in every reply, by the name of the record. All others are as in the catalogue. */
  records: z.optional(z.record(z.string(), templates)),
  page_size: z.optional(positive),
  webhooks: z.optional(
    z.strictObject({ signature_header: z.string().check(z.regex(/^[A-Za-z0-9-]+$/, 'must be the name of a header')) }),
  ),
  /** For the sandbox. */
  embed: z.optional(EmbedFamily),
});

export type EmbedFamily = z.output<typeof EmbedFamily>;
export type Wire = z.output<typeof Wire>;
export type DialectFile = z.output<typeof DialectFile>;
