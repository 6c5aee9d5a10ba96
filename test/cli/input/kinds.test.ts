import { expect, test } from 'vitest';
import { createWorld, terminals, type WorldOptions } from '../../support/run.ts';
import { sample } from '../../support/tier.ts';

const terminal: WorldOptions = { terminals, columns: 200 };

test.each(
  sample(
    [
      ['events list --limit ten', '--limit must be a whole number from 1 up, not "ten"'],
      ['events list --limit 0', '--limit must be a whole number from 1 up, not "0"'],
      [
        'events list --limit 99999999999999999999',
        '--limit must be a whole number from 1 up, not "99999999999999999999"',
      ],
      ['events list --page-size 101', '--page-size must be a whole number from 1 to 100, not "101"'],
      ['events list --page-size 1.5', '--page-size must be a whole number from 1 to 100, not "1.5"'],
      ['sandbox start --port http', '--port must be a whole number from 0 to 65535, not "http"'],
      ['sandbox run --port 65536 -- true', '--port must be a whole number from 0 to 65535, not "65536"'],
      ['auth login --port 0', '--port must be a whole number from 1 to 65535, not "0"'],
      ['auth login --port 1e3', '--port must be a whole number from 1 to 65535, not "1e3"'],
      ['one-offs create --name x --duration 30 --days 0', '--days must be a whole number from 1 up, not "0"'],
      ['one-offs create --name x --duration 30 --days week', '--days must be a whole number from 1 up, not "week"'],
      ['compliance delete a@x.example --max ten', '--max must be a whole number from 0 up'],
    ],
    4,
  ),
)('sched %s names the range', async (line, problem) => {
  const { code, stderr, requests } = await (await createWorld()).run(line, terminal);
  expect({ code, requests }).toEqual({ code: 2, requests: [] });
  expect(stderr).toContain(problem);
});
