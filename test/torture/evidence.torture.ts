import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { createService, itemsUpTo, runOnce } from '../jobs/harness.ts';
import { agree, cuts, cutsAtLines, randomEdits, rearrangements } from '../jobs/tampering.ts';
import { temporaryDirectory } from '../support/temporary.ts';

let whole: Buffer;
beforeAll(async () => {
  const path = join(temporaryDirectory(), 'whole.jsonl');
  await runOnce(path, itemsUpTo(5), createService());
  whole = readFileSync(path);
});

// R35, R36
test.each<[string, (whole: Buffer) => Buffer[]]>([
  ['500 random edits', (bytes) => randomEdits(bytes, 500)],
  ['every removed, doubled and swapped line', rearrangements],
  ['every cut at a line', cutsAtLines],
  ['every cut at a byte', cuts],
])('verify and check.sh agree on %s', (what, tamper) => {
  const receipts = tamper(whole);
  const findings = agree(receipts);
  const by = (status: string) => findings.filter((each) => each.status === status).length;
  process.stdout.write(
    `${what}: ${receipts.length} receipts, ${by('edited')} edited, ${by('incomplete')} incomplete, ${by('ok')} ok\n`,
  );
  expect(by('ok')).toBe(0);
});
