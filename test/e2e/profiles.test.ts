import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { few, sample, times } from '../support/tier.ts';
import { sched, temporaryHome, testClock } from './program.ts';

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
      const { stdout } = await sched(['profiles', 'list', '--jq', 'map(.name) | sort | join(" ")'], home);
      expect(stdout.trim()).toBe(names.join(' '));
      expect(readdirSync(join(home, '.config/sched'))).toEqual(['.locks', 'config.json']);
    },
    'keep all settings that are changed at the same time': async () => {
      const home = temporaryHome();
      await sched(['profiles', 'add', 'one', '--base-url', 'https://api.example.com'], home);
      const env = { ...testClock().env, LOCKS: join(home, '.config/sched/.locks') };
      const settings = { timezone: 'Europe/Paris', output: 'json', user: 'U', organization: 'O', client_id: 'C' };
      const some = sample(Object.entries(settings), 2);
      const set = some.map((words) => sched(['profiles', 'set', ...words], home, env));
      expect((await Promise.all(set)).map(({ code }) => code)).toEqual(set.map(() => 0));
      const { stdout } = await sched(['profiles', 'show', '--json'], home);
      expect(JSON.parse(stdout)).toMatchObject(Object.fromEntries(some));
    },
  });
});
