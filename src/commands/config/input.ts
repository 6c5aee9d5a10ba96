import { self, the, words } from '../../base/words.ts';
import { entry } from '../../cli/input/entry.ts';
import { both, type Input, input, type Values } from '../../cli/input/input.ts';
import { accept, type Kind, refuse } from '../../cli/input/kind.ts';
import { choice, file, toggle } from '../../cli/input/kinds.ts';
import { apart } from '../../cli/input/relations.ts';
import { fieldList } from '../../output/fields.ts';

/** A list of one of two words, or of both. */
const eitherKind = <const Word extends string>(one: Word, other: Word): Kind<Word[]> => ({
  value: 'LIST',
  json: 'string',
  offers: 'parts',
  read: (raw) => {
    const given = fieldList(raw);
    const wrong = given.filter((each) => each !== one && each !== other);
    if (wrong.length === 0) return accept(given as Word[]);
    return refuse(words`${self} must be ${one}, ${other} or both, not "${wrong.join('" or "')}"`);
  },
});

const userKind: Kind<string> = {
  value: 'me|EMAIL',
  json: 'string',
  read: (key) => {
    if (key === 'me' || key.includes('@')) return accept(key);
    return refuse(words`${self} must be an email address, not "${key}"`);
  },
};

const exported = {
  user: entry(userKind, 'whose configuration to print (default: yours)', { preset: 'me' }),
  org: choice(['current'], 'all owners, all groups, the organization', { value: 'ORG' }),
  with: entry(eitherKind('dates', 'uris'), 'also print dates with special hours, or uris: dates, uris or both', {
    preset: '',
  }),
};

export type ExportInput = Values<typeof exported>;

export const exportInput = input(exported, apart(['org', 'user']));

/** A configuration file that was read. */
export interface ConfigText {
  /** As it was given, for the next command. */
  path: string;
  /** What messages call it. */
  name: string;
  text: string;
}

const fileArgument = input({ file: file('configuration file, or - for stdin', { place: 'argument', needed: true }) });

const fileInput: Input<{ file: ConfigText }> = {
  ...fileArgument,
  draft: async (invocation, how) => {
    const { context, problems } = invocation;
    await fileArgument.draft(invocation, how);
    const { file } = how.given;
    const path = String(file);
    if (how.isTool) return async () => ({ file: { path, name: 'file', text: path } });
    const { readTextFile } = await import('../../cli/json-file.ts');
    const text =
      file === undefined
        ? ''
        : await readTextFile(path, { name: 'file', place: 'argument' }, context.runtime, problems);
    return async () => ({ file: { path, name: path === '-' ? 'stdin' : path, text: text ?? '' } });
  },
};

const compared = {
  exitCode: toggle('exit with 7 if there are differences'),
  unmanaged: toggle('list what the file does not manage instead of the differences'),
};

export type DiffInput = Values<typeof compared> & { file: ConfigText };

export const diffInput = both(input(compared), fileInput);

const digestKind: Kind<string> = {
  value: 'DIGEST',
  json: 'string',
  isDigest: true,
  read: (raw) => {
    const digest = raw.toLowerCase();
    if (/^[0-9a-f]{12,64}$/.test(digest)) return accept(digest);
    return refuse(words`${self} must be the digest that config diff prints: 12 or more hex digits`);
  },
};

const applyEntries = {
  confirm: entry(digestKind, 'make exactly the changes that have this digest', { heading: 'Safety' }),
  allow: entry(eitherKind('create', 'delete'), words`with ${the('yes')}, also allow create, delete or both`, {
    preset: '',
    heading: 'Safety',
  }),
};

export type ApplyInput = Values<typeof applyEntries> & { file: ConfigText };

export const applyInput = both(input(applyEntries), fileInput);
