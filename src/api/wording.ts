import type * as z from 'zod/mini';

type Issue = z.core.$ZodRawIssue;

/** The expected kind of value, by zod's name for it. */
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
  email: 'an email address',
  datetime: 'a time such as 2026-12-01T15:00:00Z',
  date: 'a date such as 2026-12-01',
  url: 'a URL',
};

/** States both bounds even if only one was exceeded, so that the next try doesn't hit the other one. */
const numberWords = ({ schema }: Issue): string => {
  const checks = (schema?._zod.def.checks ?? []).map(({ _zod }) => _zod.def as { check: string; value?: unknown });
  const limitOf = (check: string) => checks.find((each) => each.check === check)?.value;
  const [least, most] = [limitOf('greater_than'), limitOf('less_than')];
  if (least === undefined) return `must be a whole number${most === undefined ? '' : ` up to ${most}`}`;
  return `must be a whole number from ${least} ${most === undefined ? 'up' : `to ${most}`}`;
};

const lengthWords = (origin: string, bound: string, length: number | bigint): string => {
  if (bound === 'least' && Number(length) === 1) return 'must not be empty';
  return `must have at ${bound} ${length} ${origin === 'string' ? 'character' : 'item'}${Number(length) === 1 ? '' : 's'}`;
};

const isNumber = (origin: string): boolean => origin === 'number' || origin === 'int';

const issueText = (issue: Issue): string => {
  switch (issue.code) {
    case 'invalid_type':
      if (issue.input === undefined) return 'is missing';
      return isNumber(issue.expected) ? numberWords(issue) : `must be ${kinds[issue.expected] ?? 'a different type'}`;
    case 'invalid_value':
      return `must be ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.map(String).join(', ')}`;
    case 'too_small':
      return isNumber(issue.origin) ? numberWords(issue) : lengthWords(issue.origin, 'least', issue.minimum);
    case 'too_big':
      return isNumber(issue.origin) ? numberWords(issue) : lengthWords(issue.origin, 'most', issue.maximum);
    case 'invalid_format':
      return formats[issue.format] === undefined ? 'has the wrong format' : `must be ${formats[issue.format]}`;
    case 'unrecognized_keys':
      return `has unknown fields: ${issue.keys.join(', ')}`;
    case 'invalid_union':
      return 'must be one of the supported kinds';
    default:
      return 'has the wrong format';
  }
};

/** Plain messages for zod's errors, to follow the name of the value. Messages set by a schema are kept. */
export const plainErrors = { error: issueText } satisfies z.core.ParseContext<z.core.$ZodIssue>;

/** `['custom_questions', 0, 'question']` ⇒ `custom_questions[0].question` */
export const dotted = (path: readonly PropertyKey[]): string =>
  path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`;
    return text === '' ? String(part) : `${text}.${String(part)}`;
  }, '');

/** Joins a problem and its subject. A message set by a schema may be a sentence of its own, so it follows a colon. */
export const problemOf = (subject: string, message: string): string =>
  /^(is|has|must) /.test(message) ? `${subject} ${message}` : `${subject}: ${message}`;
