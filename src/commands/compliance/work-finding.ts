import type { ItemOutcome } from '../bulk/work-receipt.ts';
import type { SendResult } from '../bulk/work-run.ts';

/*
 * What a look at the service says of a person, as pure functions. It is never "gone" if something could not be read.
 * In a receipt, gone is `accepted` and still there is `rejected`; `by` says it in words, and names no person.
 */

/** Where somebody can still be found. */
export type Place = 'events' | 'invitees' | 'submissions';

export type Finding =
  | { finding: 'gone' }
  | { finding: 'present'; where: Place[] }
  | { finding: 'unknown'; unread: string[] };

const places: readonly Place[] = ['events', 'invitees', 'submissions'];

/** `where` the person was found, and what could not be read. */
export const judge = (where: ReadonlySet<Place>, unread: ReadonlySet<string>): Finding => {
  if (where.size > 0) return { finding: 'present', where: places.filter((place) => where.has(place)) };
  return unread.size > 0 ? { finding: 'unknown', unread: [...unread] } : { finding: 'gone' };
};

export const resultOf = (found: Finding): SendResult => {
  if (found.finding === 'gone') return { verdict: 'accepted', by: 'gone' };
  if (found.finding === 'present') return { verdict: 'rejected', by: `still in: ${found.where.join(', ')}` };
  return { verdict: 'unknown', by: `not readable: ${found.unread.join(', ')}` };
};

const listIn = (by: string): string[] => by.replace(/^[^:]*: /, '').split(', ');

/** What the receipt says of a person. A person that it lacks was not looked for. */
export const findingIn = (outcome: ItemOutcome | undefined): Finding => {
  const { verdict, by = '' } = outcome ?? {};
  if (verdict === 'accepted') return { finding: 'gone' };
  if (verdict === 'rejected') return { finding: 'present', where: listIn(by) as Place[] };
  return { finding: 'unknown', unread: listIn(by) };
};
