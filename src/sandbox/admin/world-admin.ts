import * as z from 'zod/mini';
import { choice, dateTime, list, loose, record, text } from '../../api/field.ts';
import { invalidParameter, Refusal } from '../error-replies.ts';
import type { Sandbox } from '../open.ts';
import { kinds } from '../rules/subscription.ts';
import { isSeedName, type WorldFile } from '../seed/name.ts';
import { type AdminCall, callsWith } from './admin.ts';

/** What the calls about the data have in common. */
export interface DataContext {
  sandbox: Sandbox;
  /** Where the data is. */
  data: string;
}

const call = callsWith<DataContext>();

const readText = async (content: string, now: number): Promise<WorldFile> => {
  const { readWorld } = await import('../world/file.ts');
  const file = readWorld(content, 'world', now);
  if (file.ok) return file.value;
  const words = file.problems.map(({ place, message }) => `${place}: ${message}`);
  throw new Refusal(400, 'Invalid Argument', words.join('\n'));
};

export const dataPlace = text('the file with the data, or :memory:');

const WorldShown = loose({}, 'a world, as docs/world.schema.json describes it');
const NewData = record({
  seed: z.optional(z.union([text('demo, empty or large:N; by default as before'), WorldShown])),
  now: z.optional(dateTime('the time that the clock starts with')),
  kind: z.optional(choice(kinds, 'kind of the organization; by default as before')),
});
const Seeded = record({ data: dataPlace, seed: z.optional(text('what the data was seeded with')) });

/** Admin requests about the content of the data. */
export const worldCalls: readonly AdminCall<DataContext>[] = [
  call('GET /__sandbox/world', 'Export the data as a world', { reply: WorldShown }, async (_, { sandbox }) =>
    (await import('../world/export.ts')).exportWorld(sandbox.store),
  ),
  call(
    'POST /__sandbox/world',
    'Replace the data by a world, which is sent as YAML or JSON',
    { body: WorldShown, isText: true, reply: Seeded },
    async ({ sent }, { sandbox, data }) => {
      const world = await readText(sent, sandbox.clock.now());
      sandbox.reset({ world });
      return { data, seed: world.name };
    },
  ),
  call(
    'POST /__sandbox/reset',
    'Delete the data and seed it again',
    { body: NewData, reply: Seeded },
    async ({ body: { seed, now, kind } }, { sandbox, data }) => {
      const moment = now === undefined ? undefined : Date.parse(now);
      if (typeof seed === 'string' && !isSeedName(seed)) throw invalidParameter('seed', 'is not the name of a seed');
      const world =
        typeof seed === 'object' ? await readText(JSON.stringify(seed), moment ?? sandbox.clock.now()) : seed;
      sandbox.reset({ world, now: moment, kind });
      return { data, seed: typeof world === 'object' ? world.name : world };
    },
  ),
  call(
    'GET /__sandbox/tokens',
    'List the ready-made tokens with their users',
    { reply: record({ tokens: list(z.unknown(), 'those of a role that somebody has') }) },
    (_, { sandbox }) => ({ tokens: sandbox.tokens() }),
  ),
];
