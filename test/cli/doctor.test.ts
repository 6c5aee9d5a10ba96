import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createWorld } from '../support/run.ts';

describe('doctor', () => {
  test('tells of bulk work that is not finished, and of a receipt that is damaged', async () => {
    const home = mkdtempSync(join(tmpdir(), 'sched-'));
    const { run } = await createWorld({ home });
    expect((await run('compliance delete a@b.example c@d.example --yes')).code).toBe(0);
    const folder = join(home, '.local/state/sched/receipts');
    const [name] = readdirSync(folder).filter((file) => file.endsWith('.jsonl'));
    const path = join(folder, name!);
    const runs = async () =>
      JSON.parse((await run('doctor --json')).stdout).filter(({ check }: { check: string }) => check === 'runs');
    expect(await runs()).toEqual([]);

    const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
    writeFileSync(path, `${lines.slice(0, -1).join('\n')}\n`);
    expect(await runs()).toMatchObject([{ status: 'note', finding: expect.stringContaining('is not finished') }]);

    writeFileSync(path, `${lines[0]}\n${lines.slice(2).join('\n')}\n`);
    expect(await runs()).toMatchObject([{ status: 'problem', finding: expect.stringContaining('is damaged') }]);
  });
});
