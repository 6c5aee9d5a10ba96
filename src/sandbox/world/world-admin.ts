import type { HttpRequest } from '../../http/message.ts';
import { bodyOf } from '../admin.ts';
import { invalidParameter, Refusal } from '../error-replies.ts';
import type { Sandbox } from '../open.ts';
import { tokensIn } from '../ready-tokens.ts';
import { isSeedName, type WorldFile } from '../seed/name.ts';

const readBody = async (text: string, now: number): Promise<WorldFile> => {
  const { readWorld } = await import('./file.ts');
  const file = readWorld(text, 'world', now);
  if (file.ok) return file.value;
  const words = file.problems.map(({ place, message }) => `${place}: ${message}`);
  throw new Refusal(400, 'Invalid Argument', words.join('\n'));
};

const readMoment = (now: unknown): number | undefined => {
  const moment = now === undefined ? undefined : Date.parse(String(now));
  if (Number.isNaN(moment)) throw invalidParameter('now', 'must be a time such as 2026-12-01T09:00:00Z');
  return moment;
};

/** Admin requests about the content of the data. They also work without a server. */
export const worldCalls = (sandbox: Sandbox, data: string) => ({
  'GET /__sandbox/world': async () => (await import('./export.ts')).exportWorld(sandbox.store),
  /** Replaces the data by the world in the body, as YAML or JSON. */
  'POST /__sandbox/world': async ({ body = '' }: HttpRequest) => {
    const file = await readBody(body, sandbox.clock.now());
    sandbox.reset(file);
    return { data, seed: file.name };
  },
  /** Seeds again: `{ "seed": NAME or a world, "now": TIME }`. */
  'POST /__sandbox/reset': async (request: HttpRequest) => {
    const { seed, now } = bodyOf(request);
    const moment = readMoment(now);
    const isWorld = typeof seed === 'object' && seed !== null;
    if (!isWorld && seed !== undefined && !isSeedName(seed))
      throw invalidParameter('seed', 'is not the name of a seed, or a world');
    sandbox.reset(isWorld ? await readBody(JSON.stringify(seed), moment ?? sandbox.clock.now()) : seed, moment);
    return { data, seed: isWorld ? 'world' : seed };
  },
  'GET /__sandbox/tokens': async () => ({ tokens: tokensIn(sandbox.store) }),
});
