import type * as z from 'zod/mini';

type Issue = z.core.$ZodRawIssue;

/** What a value was expected to be, by zod's own words for it. */
const kinds: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
};

const formats: Readonly<Record<string, string>> = {
  email: 'an e-mail address',
  datetime: 'a time such as 2026-12-01T15:00:00Z',
  date: 'a date such as 2026-12-01',
  url: 'a URL',
};

/** Names both bounds, even if only one was exceeded, so that the next try doesn't hit the other one. */
const numberWords = ({ schema }: Issue): string => {
  const checks = (schema?._zod.def.checks ?? []).map(({ _zod }) => _zod.def as { check: string; value?: unknown });
  const bound = (check: string) => checks.find((each) => each.check === check)?.value;
  const [least, most] = [bound('greater_than'), bound('less_than')];
  const from = least === undefined ? '' : ` from ${least}`;
  const to = most === undefined ? '' : `${from === '' ? ' up' : ''} to ${most}`;
  return `must be a whole number${from}${to}`;
};

const lengthWords = (origin: string, bound: string, length: number | bigint): string => {
  if (bound === 'least' && Number(length) === 1) return 'must not be empty';
  return `must have at ${bound} ${length} ${origin === 'string' ? 'characters' : 'items'}`;
};

const isNumber = (origin: string): boolean => origin === 'number' || origin === 'int';

const wordsOf = (issue: Issue): string => {
  switch (issue.code) {
    case 'invalid_type':
      if (issue.input === undefined) return 'is missing';
      return isNumber(issue.expected) ? numberWords(issue) : `must be ${kinds[issue.expected] ?? 'something else'}`;
    case 'invalid_value':
      return `must be ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.map(String).join(', ')}`;
    case 'too_small':
      return isNumber(issue.origin) ? numberWords(issue) : lengthWords(issue.origin, 'least', issue.minimum);
    case 'too_big':
      return isNumber(issue.origin) ? numberWords(issue) : lengthWords(issue.origin, 'most', issue.maximum);
    case 'invalid_format':
      return formats[issue.format] === undefined ? 'has the wrong form' : `must be ${formats[issue.format]}`;
    case 'unrecognized_keys':
      return `has what is not known there: ${issue.keys.join(', ')}`;
    case 'invalid_union':
      return 'is none of the known kinds';
    default:
      return 'has the wrong form';
  }
};

/** Makes zod speak our words, to stand behind the name of the value. What a schema says itself stays. */
export const plainErrors = { error: wordsOf } satisfies z.core.ParseContext<z.core.$ZodIssue>;

/** A problem with its subject. What a schema says itself may be a sentence of its own. */
export const problemOf = (subject: string, message: string): string =>
  /^(is|has|must) /.test(message) ? `${subject} ${message}` : `${subject}: ${message}`;
