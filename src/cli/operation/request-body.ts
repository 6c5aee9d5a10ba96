import { isDeepStrictEqual } from 'node:util';
import { isOpenField } from '../../api/inspect.ts';
import type { Operation } from '../../api/operation.ts';
import { dotted, plainErrors, problemOf } from '../../api/wording.ts';
import { isObject, type Json } from '../../base/json.ts';
import { the, type Words, words } from '../../base/words.ts';
import type { FieldFlag } from './field-flags.ts';

/** Sets a field of a body at its path. */
export const setField = (target: Json, [name, ...rest]: readonly string[], value: unknown): void => {
  if (rest.length === 0) {
    target[name!] = value;
    return;
  }
  if (!isObject(target[name!])) target[name!] = {};
  setField(target[name!] as Json, rest, value);
};

/** Whether a body has a field at this path. */
export const isSet = (value: unknown, [name, ...rest]: readonly string[]): boolean =>
  name === undefined || (isObject(value) && Object.hasOwn(value, name) && isSet(value[name], rest));

/** Whether the documentation leaves open what a body may have here. It shows nothing of an assumed operation's body. */
export const isUndocumented = ({ assumed, body }: Operation, path: readonly PropertyKey[]): boolean =>
  assumed === true || (body !== undefined && isOpenField(body, path));

const issuesOf = ({ body: schema }: Operation, body: Json) => schema?.safeParse(body, plainErrors).error?.issues ?? [];

/**
 * The problems of a body. Each names the flag that sets the field, if there is one. What `--body` has in places that
 * the documentation leaves open is no problem: there our own shape is only a guess.
 */
export const bodyProblems = (
  operation: Operation,
  body: Json,
  fromFile: Json | undefined,
  flags: readonly FieldFlag[],
): Words[] => {
  const fileIssues = fromFile === undefined ? [] : issuesOf(operation, fromFile);
  const open = fileIssues.filter((issue) =>
    isUndocumented(operation, issue.code === 'unrecognized_keys' ? [...issue.path, issue.keys[0]!] : issue.path),
  );
  const problems = issuesOf(operation, body).filter((issue) => !open.some((each) => isDeepStrictEqual(each, issue)));
  return problems.map(({ path, message }) => {
    const flag = flags.find((candidate) => candidate.part === 'body' && candidate.path.join('.') === path.join('.'));
    const subject = flag === undefined ? dotted(path) || 'the body' : the(flag.name);
    return words`${subject}${problemOf('', message)}`;
  });
};
