import { isObject, type Json } from '../../client/reading.ts';
import { idIn } from '../../uri.ts';

const isUri = (value: unknown): value is string => typeof value === 'string' && /^https?:\/\//.test(value);

/**
 * What an entry of the activity log is about. The service doesn't document the details, so this takes any: first the
 * record, by name and ID, then plain values such as the changed fields.
 */
export const aboutText = (entry: object): string => {
  const { details } = entry as Json;
  if (!isObject(details)) return '';
  const { name, ...rest } = details;
  const references = Object.entries(rest).filter(([, value]) => isUri(value));
  const others = Object.values(rest).flatMap((value) => (isUri(value) ? [] : [value].flat()));
  const plain = others.filter((value) => typeof value === 'string' || typeof value === 'number');
  const [first] = references;
  // One reference is enough beside a name: the event, but not its event type too.
  const record =
    typeof name === 'string' && name !== ''
      ? [first === undefined ? name : `${name} (${idIn(first[1])})`]
      : references.map(([key, uri]) => `${key.replaceAll('_', ' ')} ${idIn(uri)}`);
  return [...record, ...plain].join(', ');
};
