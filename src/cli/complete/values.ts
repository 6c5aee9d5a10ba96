import { type Collection, collections } from '../../api/collections.ts';
import { safe } from '../../output/sanitize.ts';
import type { Runtime } from '../../runtime.ts';
import type { Argument, Flag } from '../command.ts';
import type { Leaf } from '../parse/leaf.ts';

export interface Candidate {
  word: string;
  description?: string;
}

export interface Offer {
  candidates: Candidate[];
  /** `list`: the word may be continued, so no space follows. `files`: the shell offers its own files. */
  directive?: 'list' | 'files';
}

/** Whether a candidate fits what was entered so far. People may type names in any case. */
export const begins = (word: string, prefix: string): boolean => word.toLowerCase().startsWith(prefix.toLowerCase());

/** Whether a word of a file or of the service can be written: no flag, and shown by a terminal as it is. */
const isTypeable = (word: string): boolean => word !== '' && !word.startsWith('-') && safe(word) === word;

const candidatesOf = (words: readonly string[]): Candidate[] => words.map((word) => ({ word }));

/** The last part of a list such as `uri,na`: a word that the list doesn't have yet. */
const listOffer = (words: readonly string[], prefix: string): Offer => {
  const earlierWords = prefix.split(',').slice(0, -1);
  const rest = words.filter((word) => !earlierWords.includes(word));
  return { candidates: rest.map((word) => ({ word: [...earlierWords, word].join(',') })), directive: 'list' };
};

/** Records by name. One whose name can't be written, or isn't unique, is offered by its ID. */
const recordCandidates = async (
  collection: Collection,
  prefix: string,
  leaf: Leaf,
  runtime: Runtime,
): Promise<Candidate[]> => {
  const { namesOf } = await import('./names.ts');
  const records = await namesOf(collection, leaf.opts(), runtime);
  return records
    .map(({ value, label, words }) => {
      const name = words.find((word) => begins(word, prefix)) ?? words[0]!;
      const isUnique = records.filter((other) => other.words.includes(name)).length === 1;
      const word = isUnique && isTypeable(name) ? name : value;
      // What is on the line already need not stand behind it once more.
      return { word, description: label.startsWith(word) ? label.slice(word.length).replace(/^ · |^, /, '') : label };
    })
    .filter(({ word }) => isTypeable(word));
};

/** What a flag or an argument can be. Undefined if nothing is known about it. */
export const valueOffer = async (
  place: Flag | Argument,
  prefix: string,
  leaf: Leaf | undefined,
  runtime: Runtime,
): Promise<Offer | undefined> => {
  const { name, names, choices, suggestions = [], collection } = place;
  const offers = names ?? (name === 'file' ? 'files' : 'kind' in place ? place.kind.offers : undefined);
  if (offers === 'profiles') {
    const { readConfig } = await import('../session/config-file.ts');
    return { candidates: candidatesOf(Object.keys((await readConfig(runtime)).profiles).filter(isTypeable)) };
  }
  if (offers === 'fields') {
    const { fieldPaths } = await import('../help/command-help.ts');
    return leaf && listOffer(fieldPaths(leaf.definition), prefix);
  }
  if (offers === 'zones') return { candidates: candidatesOf((await import('../../time/zone.ts')).zoneNames()) };
  if (offers === 'parts') return listOffer(suggestions, prefix);
  if (offers === 'files') return { candidates: [], directive: 'files' };
  const candidates = candidatesOf(choices ?? suggestions);
  if (leaf !== undefined && collection !== undefined && collections[collection].isNamed)
    candidates.push(...(await recordCandidates(collection, prefix, leaf, runtime)));
  return candidates.length === 0 ? undefined : { candidates };
};
