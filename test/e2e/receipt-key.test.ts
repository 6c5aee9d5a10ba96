import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';
import { type SecretService, secretService, startSecretService } from '../support/secret-service.ts';
import { few } from '../support/tier.ts';
import { describeWith } from '../support/tools.ts';
import { commandsOf, everythingBelow, sched, usedHome } from './program.ts';

// R17, R36
describeWith(...secretService)('receipt key in a real keychain', () => {
  let service: SecretService;
  let env: Record<string, string>;
  beforeAll(async () => {
    service = await startSecretService();
    env = { ...service.env, SCHED_CREDENTIAL_STORE: 'keychain' };
  });
  afterAll(() => service?.stop());

  const remove = (home: string, ...words: string[]) =>
    sched(['--sandbox', 'compliance', 'delete', ...words, '--yes', '--json'], home, env);
  const keyOf = (receipt: string): string => JSON.parse(readFileSync(receipt, 'utf8').split('\n')[0]!).key;

  few(1, {
    'fails with exit 3 if the keychain is missing, sends nothing and writes no key file': async () => {
      const home = await usedHome();
      const { code, stderr } = await remove(home, 'ada@x.example');
      expect(code).toBe(3);
      expect(stderr).toContain('keychain');
      expect(existsSync(join(home, '.local/state/sched/receipts'))).toBe(false);
      expect(everythingBelow(home)).not.toMatch(/^[0-9a-f]{64}$/m);
    },
    'is created on first use, found from any home directory, and never written to a file': async () => {
      await service.unlock();
      const home = await usedHome();
      const one = await remove(home, 'ada@x.example');
      const other = await remove(await usedHome(), 'bob@x.example');
      const receipts = [one, other].map(({ stdout }) => JSON.parse(stdout).receipt as string);
      expect(keyOf(receipts[0]!)).toBe(keyOf(receipts[1]!));
      const state = join(home, '.local/state/sched');
      expect(readdirSync(state)).not.toContain('receipt.key');
      expect(everythingBelow(state)).not.toMatch(/^[0-9a-f]{64}$/m);

      const prove = async (own: Record<string, string>) =>
        (await commandsOf(home, own))(['compliance', 'prove', receipts[0]!, '--email', 'ADA@x.example', '--json']);
      // The exit code for a receipt from the sandbox.
      const found = await prove(env);
      expect([found.code, JSON.parse(found.stdout)]).toMatchObject([13, { found: true, verdict: 'accepted' }]);
      const elsewhere = await prove({ SCHED_CREDENTIAL_STORE: 'file' });
      expect(elsewhere.code).toBe(3);
      expect(elsewhere.stderr).toContain("Can't find the key of this receipt");
    },
  });
});
