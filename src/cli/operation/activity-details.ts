import { isObject, type Json } from '../../json.ts';
import { idIn } from '../../uri.ts';

const isUri = (value: unknown): value is string => typeof value === 'string' && /^https?:\/\//.test(value);

/** `ScheduledEvent` ⇒ `scheduled event`. */
const words = (name: unknown): string =>
  typeof name === 'string' ? name.replace(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase() : '';

/** What was done, with the verb first because a table may cut the end: `Cancel scheduled event`. */
export const actionText = (entry: object): unknown => {
  const { action, namespace, fully_qualified_name: name } = entry as Json;
  const [verb, noun] = [words(action), words(namespace)];
  return verb === '' || noun === '' ? name : `${verb[0]!.toUpperCase()}${verb.slice(1)} ${noun}`;
};

/**
 * What an entry of the activity log is about. The service doesn't document the details, so this takes any: first the
 * record, by name and ID, then plain values such as the changed fields.
 */
export const aboutText = (entry: object): unknown => {
  const { details } = entry as Json;
  if (!isObject(details)) return details;
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
  const text = [...record, ...plain].join(', ');
  return text === '' && Object.keys(details).length > 0 ? details : text;
};
