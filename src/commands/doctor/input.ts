import { self, the, words } from '../../base/words.ts';
import { entry } from '../../cli/input/entry.ts';
import { input, type Values } from '../../cli/input/input.ts';
import { accept, type Kind, refuse } from '../../cli/input/kind.ts';
import { file, text, toggle } from '../../cli/input/kinds.ts';
import { excludes, rule } from '../../cli/input/relations.ts';

const probeGroups = ['path', 'lists', 'filter'] as const;
export type ProbeGroup = (typeof probeGroups)[number];

const isGroup = (name: string): name is ProbeGroup => (probeGroups as readonly string[]).includes(name);

const groupsKind: Kind<readonly ProbeGroup[]> = {
  value: 'GROUPS',
  json: 'string',
  read: (raw) => {
    const names = raw.split(',');
    const unknown = names.filter((name) => !isGroup(name)).map((name) => `"${name}"`);
    if (unknown.length === 0) return accept(names.filter(isGroup));
    return refuse(words`${self} must be a list of ${probeGroups.join(', ')}, not ${unknown.join(' and ')}`);
  },
};

const entries = {
  network: toggle('also contact the service, check the token and compare the clocks'),
  api: toggle('instead find out by reads which guesses about the API hold at this service'),
  only: entry(groupsKind, words`with ${the('api')}: probe only some of path, lists and filter`, {
    preset: probeGroups.join(),
  }),
  writeDialect: file(words`with ${the('api')}: write a dialect with the fixes; an existing file is never replaced`),
  baseline: file(words`with ${the('api')}: show only what changed since the last run, which this file keeps`),
  dialect: text(words`with ${the('api')}: try a dialect in place of the current one`, { value: 'NAME|FILE' }),
};

export type DoctorInput = Values<typeof entries>;

const probing = ['only', 'writeDialect', 'dialect', 'baseline'] as const;

const onlyProbes = rule(['api', ...probing], (isGiven) =>
  isGiven('api')
    ? []
    : probing.filter(isGiven).map((key) => ({ words: words`${the(key)} only works with ${the('api')}` })),
);

export const doctorInput = input(entries, onlyProbes, excludes('baseline', ['only', 'writeDialect']));
