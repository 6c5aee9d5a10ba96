import { self, the, words } from '../../base/words.ts';
import { entry } from '../../cli/input/entry.ts';
import { input, type Values } from '../../cli/input/input.ts';
import { accept, type Kind, refuse } from '../../cli/input/kind.ts';
import { choice, file, toggle, word } from '../../cli/input/kinds.ts';
import { rule } from '../../cli/input/relations.ts';
import { fieldList } from '../../output/fields.ts';
import { clients } from './clients.ts';

/** Patterns such as `events.*`. */
const patternsKind: Kind<string[]> = {
  value: 'LIST',
  json: 'string',
  offers: 'parts',
  read: (raw, _, value) => accept(fieldList(value === true ? '' : raw)),
};

const namesKind: Kind<string[]> = {
  ...patternsKind,
  read: (raw) => {
    const names = fieldList(raw);
    return names.length > 0 ? accept(names) : refuse(words`${self} needs at least one name, such as events.*`);
  },
};

/** What decides which tools a client gets. */
const choosing = {
  tools: entry(namesKind, 'only these tools, such as events.*,event-types.slots'),
  allowWrites: entry(
    patternsKind,
    'also offer tools that change data: all, or those of =events.cancel,invitees.create',
    { optional: true, heading: 'Safety' },
  ),
  log: file('write a line before each write of a program and one after it, as evidence', { heading: 'Safety' }),
  outputSchemas: toggle('describe the results of the tools too (a much longer list)'),
  compact: toggle('three tools that find, describe and run commands, instead of one per command'),
};

export type ToolsInput = Values<typeof choosing>;

export const serveInput = input(choosing);

const names = Object.keys(clients);

const configuring = {
  client: choice(names, `${names.join(', ')} (default json, for any client)`, {
    place: 'argument',
    preset: 'json',
  }),
  ...choosing,
  http: word("connect to the service's own MCP server: that of the profile or sandbox, or =URL", {
    value: 'URL',
    optional: true,
  }),
};

export type ConfigInput = Values<typeof configuring>;

const own = Object.keys(choosing) as (keyof typeof choosing)[];

/** With a server of the service, sched doesn't serve. */
const servesItself = rule(['http', ...own], (isGiven) =>
  isGiven('http')
    ? own.filter(isGiven).map((key) => ({
        words: words`${the(key)} is for mcp serve. With ${the('http')}, the service's own server decides`,
        drops: the(key),
      }))
    : [],
);

const canNameUrl = rule(['client', 'http'], (isGiven, { given: { client } }) =>
  isGiven('http') && names.some((name) => name === client && clients[name]!.linesFor === undefined)
    ? [{ words: words`The configuration of this client can't name a URL`, drops: the('http') }]
    : [],
);

export const configInput = input(configuring, servesItself, canNameUrl);
