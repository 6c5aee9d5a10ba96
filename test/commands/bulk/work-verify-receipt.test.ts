import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { firstPrev, type ReceiptLine } from '../../../src/commands/bulk/work-receipt.ts';
import { readKey } from '../../../src/commands/bulk/work-receipt-key.ts';
import { verifyChain } from '../../../src/commands/bulk/work-verify-receipt.ts';
import checkScript from '../../../src/commands/compliance/audit/check.sh' with { type: 'text' };
import proveScript from '../../../src/commands/compliance/audit/prove.sh' with { type: 'text' };
import { newKeyText } from '../../../src/state/key-file.ts';
import { spawnSync } from '../../support/processes.ts';
import { temporaryDirectory } from '../../support/temporary.ts';
import { few, sample } from '../../support/tier.ts';
import { needs } from '../../support/tools.ts';
import { createService, itemsUpTo, runOnce } from '../harness.ts';
import { agree, auditTools, cuts, cutsAtLines, randomEdits, rearrangements, rechain, valuesOf } from './tampering.ts';

const folder = temporaryDirectory();
const at = '2026-11-15T18:00:00.000Z';

let whole: Buffer;
let sandboxed: Buffer;
beforeAll(async () => {
  await runOnce(join(folder, 'whole.jsonl'), itemsUpTo(5), createService());
  await runOnce(join(folder, 'sandbox.jsonl'), itemsUpTo(2), createService(), { isSandbox: true });
  whole = readFileSync(join(folder, 'whole.jsonl'));
  sandboxed = readFileSync(join(folder, 'sandbox.jsonl'));
});

const edits = () => randomEdits(whole, 500);
const cutsAnywhere = () => [...cutsAtLines(whole), ...sample(cuts(whole), 400)];

describe('verify', () => {
  // R36
  test('finds 500 random edits', () => {
    expect(edits().filter((bytes) => verifyChain(bytes).status === 'ok')).toEqual([]);
  });

  test('finds every removed, doubled and swapped line', () => {
    const found = rearrangements(whole).map((bytes) => verifyChain(bytes).status);
    expect(found.filter((status) => !['edited', 'incomplete'].includes(status))).toEqual([]);
  });

  // R35
  test('calls a receipt incomplete if it was cut at a line or at any byte', () => {
    expect(cutsAnywhere().filter((bytes) => verifyChain(bytes).status !== 'incomplete')).toEqual([]);
  });
});

describe('verify, check.sh and prove.sh', () => {
  // R35, R36
  test('find the same in receipts that were edited, rearranged or cut', () => {
    const broken = [...edits(), ...rearrangements(whole), ...cutsAnywhere()];
    // check.sh is slow: `npm test` runs it on one receipt for each finding.
    const chosen = sample(broken, 1, (bytes) => verifyChain(bytes).finding.replace(/\d+/, ''));
    expect(new Set(agree(chosen).map(({ status }) => status))).toEqual(new Set(['edited', 'incomplete']));
  });

  test('call an intact receipt ok, but not one from the sandbox', () => {
    expect(agree([whole, sandboxed]).map(({ status }) => status)).toEqual(['ok', 'sandbox']);
    expect(
      sandboxed
        .toString()
        .trim()
        .split('\n')
        .every((line) => line.includes('"sandbox":true')),
    ).toBe(true);
  });

  test('judge a receipt from the sandbox like a real one in a rehearsal', () => {
    needs(...auditTools);
    const rehearsed = (bytes: Buffer) => verifyChain(bytes, { isRehearsal: true });
    const [edited, incomplete] = [rearrangements(sandboxed)[0]!, cutsAtLines(sandboxed).at(-1)!];
    expect(rehearsed(sandboxed)).toMatchObject({ status: 'ok', sandbox: true });
    const place = temporaryDirectory('rehearsal');
    writeFileSync(join(place, 'check.sh'), checkScript);
    const check = (bytes: Buffer, ...flags: string[]) => {
      writeFileSync(join(place, 'receipt.jsonl'), bytes);
      // The default receipt is the one beside the script, not one in the current folder.
      return spawnSync('bash', [join(place, 'check.sh'), ...flags], { cwd: folder, encoding: 'utf8' });
    };
    const ok = check(sandboxed, '--sandbox');
    expect(ok).toMatchObject({ status: 0, stderr: 'made in the sandbox: not proof of a real deletion\n' });
    expect(ok.stdout).toMatch(/^ok: 2 accepted/);
    const others: [bytes: Buffer, expected: object][] = [
      [edited, { status: 13, stdout: expect.stringContaining(`edited at line ${rehearsed(edited).line}`) }],
      [incomplete, { status: 11, stdout: expect.stringMatching(/^incomplete/) }],
      [whole, { status: 0, stderr: '' }],
    ];
    for (const [bytes, expected] of sample(others, 1)) expect(check(bytes, '--sandbox')).toMatchObject(expected);
  });

  test('detect a rewritten chain by its head', () => {
    const head = verifyChain(whole).head;
    const forged = rechain(
      valuesOf(whole).map((line) => (line.type === 'run' ? { ...line, organization: 'another' } : line)),
    );
    expect(verifyChain(forged).status).toBe('ok');
    expect(agree([forged, whole], head).map(({ status }) => status)).toEqual(['rewritten', 'ok']);
  });

  test('reject a head that is empty or not a hash', () => {
    needs(...auditTools);
    const [script, receipt] = [join(folder, 'check.sh'), join(folder, 'whole.jsonl')];
    writeFileSync(script, checkScript);
    const check = (...head: string[]) => spawnSync('bash', [script, receipt, ...head], { encoding: 'utf8' });
    for (const head of ['', 'null', verifyChain(whole).head.replace('sha256:', '')])
      expect(check(head)).toMatchObject({ status: 2, stdout: 'HEAD must be sha256: and 64 hexadecimal digits\n' });
  });

  test('detect a rewritten chain whose history is inconsistent', () => {
    const lines = valuesOf(whole);
    const without = (type: string) => rechain(lines.filter((line) => line.type !== type));
    const changed = (type: string, change: object) =>
      rechain(lines.map((line) => (line.type === type ? ({ ...line, ...change } as ReceiptLine) : line)));
    const stories = [
      without('sending'),
      without('run'),
      changed('end', { accepted: 4 }),
      changed('end', { total: 6 }),
      changed('verdict', { verdict: 'rejected' }),
      changed('verdict', { batch: 99 }),
      changed('end', { type: 'other' }),
      changed('run', { total: 6 }),
      without('verdict'),
    ];
    expect(agree(sample(stories, 1)).every(({ status }) => status === 'edited')).toBe(true);
    expect(agree([without('end')])[0]!.status).toBe('incomplete');
  });

  test('compare the number of skipped lines, and count a repeated item once', () => {
    const lines = valuesOf(whole);
    const skipping = lines.map((line) => (line.type === 'end' ? { ...line, skipped: line.skipped + 1 } : line));
    const unknown = { type: 'verdict', batch: 1, at, verdict: 'unknown' } as const;
    const repeated = lines.flatMap((line) => (line.type === 'verdict' && line.batch === 1 ? [unknown, line] : [line]));
    const found = agree([rechain(skipping), rechain(repeated)]);
    expect(found.map(({ status }) => status)).toEqual(['edited', 'ok']);
  });

  test('call a receipt with lines after its end incomplete', () => {
    const lines = valuesOf(whole);
    const resumed = { type: 'resumed', at: '2026-11-15T19:00:00.000Z' } as ReceiptLine;
    expect(agree([rechain([...lines, resumed])])[0]!.status).toBe('incomplete');
  });

  test('detect a rewritten chain with a line that is not JSON', () => {
    const start = `{"prev":"${firstPrev}",no json`;
    const hash = createHash('sha256').update(`${start}}`).digest('hex');
    expect(agree([Buffer.from(`${start},"hash":"${hash}"}\n`)])).toMatchObject([{ status: 'edited', line: 1 }]);
  });

  const found = { status: 0, stdout: `${at} batch 1: sending\n${at} batch 1: accepted (HTTP 202)\n` };
  const said = 'made in the sandbox: not proof of a real deletion\n';

  /** prove.sh beside a receipt of two addresses, and its key. */
  const proof = () => {
    needs(...auditTools);
    const place = temporaryDirectory('proof');
    const [script, keyFile, receipt] = ['prove.sh', 'receipt.key', 'receipt.jsonl'].map((name) => join(place, name));
    const text = newKeyText((count) => new Uint8Array(count).fill(7));
    const key = readKey(text)!;
    const lines = (isSandbox = false) =>
      rechain(
        [
          { ...valuesOf(whole)[0]!, key: key.id } as ReceiptLine,
          {
            type: 'sending',
            batch: 1,
            attempt: 1,
            at,
            items: ['ada@engine.example', 'bob@engine.example'].map(key.mac),
          },
          { type: 'verdict', batch: 1, at, verdict: 'accepted', status: 202 },
        ],
        isSandbox,
      );
    const run = (words: string[], input = '') =>
      spawnSync('bash', [script!, ...words], { input, cwd: '/', encoding: 'utf8' });
    writeFileSync(script!, proveScript);
    writeFileSync(keyFile!, text);
    writeFileSync(receipt!, lines());
    return {
      keyFile: keyFile!,
      receipt: receipt!,
      text,
      key,
      lines,
      run,
      prove: (input: string) => run([keyFile!], input),
    };
  };

  few(1, {
    'hash an address with openssl as sched does': () => {
      const { prove, receipt, lines } = proof();
      for (const input of [' Ada@Engine.example \r\n', 'ada@engine.example']) expect(prove(input)).toMatchObject(found);
      expect(prove('eve@engine.example\n')).toMatchObject({ status: 6, stdout: 'not in this receipt\n' });
      writeFileSync(receipt, Buffer.concat([lines(), Buffer.from('{"prev":"0')]));
      expect(prove('ada@engine.example\n')).toMatchObject(found);
    },
    'say what prove.sh needs': () => {
      const { prove, run } = proof();
      expect(prove('')).toMatchObject({ status: 2, stdout: 'no address on stdin\n' });
      const usage = { status: 2, stdout: 'usage: bash prove.sh [--sandbox] KEY_FILE [RECEIPT]\n', stderr: '' };
      expect(run([])).toMatchObject(usage);
    },
    'prove nothing from a receipt of the sandbox, except in a rehearsal': () => {
      const { run, keyFile, receipt, lines } = proof();
      writeFileSync(receipt, lines(true));
      const [ada, eve] = ['ada@engine.example', 'eve@engine.example'];
      expect(run([keyFile], ada)).toMatchObject({ ...found, status: 13, stderr: said });
      expect(run(['--sandbox', keyFile], ada)).toMatchObject({ ...found, stderr: said });
      expect(run(['--sandbox', keyFile], eve).status).toBe(6);
    },
    'accept the key of the receipt only': () => {
      const { prove, keyFile, text, key } = proof();
      writeFileSync(keyFile, text.replace('\n', '\r\n'));
      expect(prove('ada@engine.example\n')).toMatchObject(found);
      const other = newKeyText((count) => new Uint8Array(count).fill(8));
      writeFileSync(keyFile, other);
      expect(prove('ada@engine.example\n')).toMatchObject({
        status: 3,
        stdout: `the receipt was made with key ${key.id}, but this is key ${readKey(other)!.id}\n`,
      });
      writeFileSync(keyFile, text.slice(1));
      const torn = { status: 3, stdout: 'KEY_FILE must contain 64 hexadecimal digits\n', stderr: '' };
      expect(prove('ada@engine.example\n')).toMatchObject(torn);
    },
  });
});
