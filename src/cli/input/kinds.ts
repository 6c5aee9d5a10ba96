import type { Flag } from '../command.ts';
import { accept, type Kind, refuse } from './kind.ts';
import { self, words } from './words.ts';

/** What all kinds of times have in common. */
export const momentFacts = { value: 'TIME', json: 'string', isProse: true, isMoment: true } as const;

/** A time zone by its IANA name. */
export const zoneKind: Kind<string> = {
  value: 'ZONE',
  json: 'string',
  offers: 'zones',
  preset: ({ settings }) => settings.zone,
  read: async (raw) => {
    const { readZone } = await import('../../time/zone.ts');
    const reading = readZone(String(raw));
    if (reading.ok) return accept(reading.zone);
    // A write must not be suggested with a guess among several zones.
    const [meant, ...others] = reading.candidates;
    return refuse(words`${self}: ${reading.problem}`, others.length === 0 ? meant : undefined);
  },
};

const numbers = ['N', 'COUNT', 'MINUTES'];

const jsonOf = (value: string): Kind['json'] => {
  const types = new Set(value.split('|').map((each) => (numbers.includes(each) ? 'integer' : 'string')));
  return types.size === 1 ? [...types][0]! : [...types];
};

/** The kind that a placeholder says, for flags that declare none. */
const byPlaceholder = (value: string): Kind => ({
  value,
  json: jsonOf(value),
  ...(value === 'FIELDS' ? { offers: 'fields' } : {}),
  ...(value === 'ZONE' ? { offers: 'zones' } : {}),
  ...(value === 'LIST' ? { offers: 'parts' } : {}),
  ...(value.startsWith('FILE') ? { offers: 'files' } : {}),
  ...(/NAME|TEXT|TIME/.test(value) ? { isProse: true } : {}),
  ...(value === 'TIME' ? { isMoment: true } : {}),
  ...(value === 'DIGEST' ? { isDigest: true } : {}),
  read: accept,
});

const anySwitch: Kind = { json: 'boolean', read: accept };

export const kindOf = ({ kind, value }: Pick<Flag, 'kind' | 'value'>): Kind =>
  kind ?? (value === undefined ? anySwitch : byPlaceholder(value));
