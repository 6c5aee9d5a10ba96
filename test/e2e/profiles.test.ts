import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { jsonOf } from '../support/run.ts';
import { few, sample, times } from '../support/tier.ts';
import { commandsOf, sched, temporaryHome, testClock } from './program.ts';

describe('profiles', () => {
  few(1, {
    'that are added at the same time are all there': async () => {
      const home = temporaryHome();
      const env = { ...testClock().env, LOCKS: join(home, '.config/sched/.locks') };
      const names = Array.from({ length: times(2, 6) }, (_, index) => `p${index}`);
      const added = names.map((name) =>
        sched(['profiles', 'add', name, '--base-url', `https://${name}.example.com`], home, env),
      );
      expect((await Promise.all(added)).map(({ code }) => code)).toEqual(names.map(() => 0));
      const run = await commandsOf(home);
      const listed: { name: string }[] = jsonOf(await run('profiles list --json'));
      expect(listed.map(({ name }) => name).sort()).toEqual(names);
      expect(readdirSync(join(home, '.config/sched'))).toEqual(['.locks', 'config.json']);
    },
    'keep all settings that are changed at the same time': async () => {
      const home = temporaryHome();
      const run = await commandsOf(home);
      expect((await run('profiles add one --base-url https://api.example.com')).code).toBe(0);
      const env = { ...testClock().env, LOCKS: join(home, '.config/sched/.locks') };
      const settings = { timezone: 'Europe/Paris', output: 'json', user: 'U', organization: 'O', client_id: 'C' };
      const some = sample(Object.entries(settings), 2);
      const set = some.map((words) => sched(['profiles', 'set', ...words], home, env));
      expect((await Promise.all(set)).map(({ code }) => code)).toEqual(set.map(() => 0));
      expect(jsonOf(await run('profiles show --json'))).toMatchObject(Object.fromEntries(some));
    },
  });
});
