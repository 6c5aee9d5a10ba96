import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createWorld } from '../support/run.ts';
import { temporaryDirectory } from '../support/temporary.ts';

describe('doctor', () => {
  test('tells of bulk work that is not finished, and of a receipt that is damaged', async () => {
    const home = temporaryDirectory();
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

  test.each([
    ['/dev/null/none', 'the home directory /dev/null/none does not exist'],
    ['', 'HOME is empty'],
  ])('does not promise a state directory below the home %j, which is never made', async (home, reason) => {
    const { run } = await createWorld({ home });
    const found = JSON.parse((await run('doctor --json')).stdout).filter(
      ({ check }: { check: string }) => check === 'state directory',
    );
    expect(found).toMatchObject([{ status: 'note', finding: expect.stringContaining(`cannot be used: ${reason}`) }]);
  });

  test.each([
    [
      'HTTPS_PROXY',
      'http://robot:hunter2@proxy.example:3128',
      'note',
      'HTTPS_PROXY is set: http://proxy.example:3128;',
    ],
    ['https_proxy', 'proxy.example:3128', 'note', 'https_proxy is set: http://proxy.example:3128;'],
    ['https_proxy', 'ftp://robot:hunter2@proxy.example', 'problem', 'https_proxy is not the URL of an http or'],
    ['NO_PROXY', 'example.com', 'note', 'NO_PROXY is set;'],
  ])('names the proxy of %s=%s, and no login', async (name, value, status, words) => {
    const { run } = await createWorld({ env: { [name]: value } });
    const { stdout } = await run('doctor --json');
    const found = JSON.parse(stdout).filter(({ check }: { check: string }) => check === 'proxy');
    expect(found).toMatchObject([{ status, finding: expect.stringContaining(words) }]);
    expect(found[0].fix).toMatch(`unset ${name},`);
    expect(stdout).not.toContain('hunter2');
  });
});
