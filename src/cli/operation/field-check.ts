import type { Operation } from '../../api/operation.ts';
import { nearest } from '../../base/nearest.ts';
import { checkFields, correctedField, fieldList } from '../../output/fields.ts';
import type { ParsedCommand } from '../command.ts';
import type { Fix } from '../messages/problems.ts';
import type { Part } from '../parse/line-part.ts';
import type { Shell } from '../session/context.ts';

const firstName = (field: string): string => field.split('.')[0]!;

/** Corrects the selected field names, if all of them can be corrected. */
const fieldsFix = (parts: readonly Part[], knownNames: readonly string[]): Fix | undefined => {
  const lists = parts.flatMap(({ flag, value: list }) => {
    if ((flag !== 'fields' && flag !== 'json') || !list) return [];
    return [{ flag, list, fields: fieldList(list).map((field) => correctedField(field, knownNames)) }];
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
  { printer, notes, settings }: Pick<Shell, 'printer' | 'notes' | 'settings'>,
  knownNames: readonly string[],
  operation: Operation | undefined,
  { parts, problems }: Pick<ParsedCommand, 'parts' | 'problems'>,
): void => {
  const fields = settings.fields ?? [];
  const report = (messages: readonly string[]) => {
    for (const problem of messages) problems.add(problem, fieldsFix(parts, knownNames));
  };
  if (operation?.method !== 'GET') {
    report(checkFields(fields, knownNames));
    return;
  }
  const names = [...new Set(fields.map(firstName))].filter((name) => !knownNames.includes(name));
  if (names.length > 0) {
    printer.checkFirst = (records) => {
      const absent = names.filter((name) => !records.some((record) => Object.hasOwn(record, name)));
      if (absent.some((name) => nearest(name, knownNames) !== undefined)) {
        report(checkFields(absent, knownNames));
        problems.check({ outcome: 'not-applied' });
      }
      for (const name of absent) notes.warn(`The reply has no field "${name}"`);
    };
  }
  report(checkFields(fields, [...knownNames, ...names.filter((name) => name !== '')]));
};
