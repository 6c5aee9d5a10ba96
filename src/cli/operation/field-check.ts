import type { Operation } from '../../api/operation.ts';
import { nearest } from '../../nearest.ts';
import { checkFields, correctedField, fieldList } from '../../output/fields.ts';
import type { Parsed, Typed } from '../command.ts';
import type { Fix } from '../messages/problems.ts';
import type { Context } from '../session/context.ts';

const firstName = (field: string): string => field.split('.')[0]!;

/** Corrects the typed field names, if all of them can be corrected. */
const fieldsFix = (typed: Typed, known: readonly string[]): Fix | undefined => {
  const lists = ['fields', 'json'].flatMap((flag) => {
    const list = typed[flag];
    if (typeof list !== 'string' || list === '') return [];
    return [{ flag, list, fields: fieldList(list).map((field) => correctedField(field, known)) }];
  });
  if (lists.some(({ fields }) => fields.includes(undefined))) return undefined;
  return (own) => {
    for (const { flag, list, fields } of lists) own.setValue(flag, list, fields.join(','));
  };
};

/**
 * Checks the selected fields. A service may return fields that are not documented, so for a read, unknown names are
 * checked when the reply arrives: a name that is not in it is an error if it looks like a typo. For a write, they are
 * problems before anything is sent.
 */
export const checkSelected = (
  { printer, notes, settings }: Pick<Context, 'printer' | 'notes' | 'settings'>,
  known: readonly string[],
  operation: Operation | undefined,
  { typed, problems }: Pick<Parsed, 'typed' | 'problems'>,
): void => {
  const fields = settings.fields ?? [];
  const report = (found: readonly string[]) => {
    for (const problem of found) problems.add(problem, fieldsFix(typed, known));
  };
  if (operation?.method !== 'GET') {
    report(checkFields(fields, known));
    return;
  }
  const names = [...new Set(fields.map(firstName))].filter((name) => !known.includes(name));
  if (names.length > 0) {
    printer.checkFirst = (records) => {
      const absent = names.filter((name) => !records.some((record) => Object.hasOwn(record, name)));
      if (absent.some((name) => nearest(name, known) !== undefined)) {
        report(checkFields(absent, known));
        problems.check({ outcome: 'not-applied' });
      }
      for (const name of absent) notes.warn(`The reply has no field "${name}"`);
    };
  }
  report(checkFields(fields, [...known, ...names.filter((name) => name !== '')]));
};
