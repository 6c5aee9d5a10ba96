import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { jobsOf } from '../support/page-snippets.ts';

const { inputs } = parse(readFileSync(new URL('../../action.yml', import.meta.url), 'utf8'));

const jobs = ['docs/compliance.md', 'docs/fleet.md', 'docs/sandbox.md'].flatMap((page) =>
  Object.entries(jobsOf(page)).map(([name, job]) => ({ page, name, job })),
);

test('the pages have these workflows', () => {
  expect(jobs.map(({ name }) => name)).toEqual(['delete', 'export', 'book', 'test']);
});

test.each(jobs)('the workflow $name in $page is complete: checkout, install, run', ({ job }) => {
  const { steps } = job;
  expect(job['runs-on']).toBe('ubuntu-24.04');
  expect(steps[0]!.uses).toMatch(/^actions\/checkout@v\d+$/);
  const [install, first] = [/^example\/sched@v/, /\b(sched|nightly\.sh)\b/].map((pattern, index) =>
    steps.findIndex(({ uses = '', run = '' }) => pattern.test(index === 0 ? uses : run)),
  );
  expect(install).toBeGreaterThan(0);
  expect(first).toBeGreaterThan(install!);
});

test.each(jobs)('the workflow $name in $page gives the action what it needs, for the runner it has', ({ job }) => {
  const { uses = '', with: given = {} } = job.steps.find(({ uses }) => uses?.startsWith('example/sched@'))!;
  expect(Object.keys(given)).toEqual(Object.keys(inputs));
  const version = uses.split('@v')[1];
  expect(given.version).toBe(version);
  expect(given.url).toMatch(new RegExp(`^https://downloads\\.example\\.com/.*v${version}$`));
  expect(given.sha256sums).toMatch(new RegExp(`^[0-9a-f]{64} {2}sched-${version}-linux-x64\\.tar\\.gz$`));
});
