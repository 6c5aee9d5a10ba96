import { expect, test } from 'vitest';
import { sbomOf } from '../../../scripts/release/sbom.js';

const manifest = { name: 'sched', version: '1.2.3', license: 'MIT', description: 'A program' };
const about = { manifest, file: 'sched-1.2.3-linux-x64', date: new Date('2026-12-01T10:00:00Z') };
const zod = {
  name: 'zod',
  version: '4.0.0',
  license: 'MIT',
  integrity: `sha512-${Buffer.from('zod').toString('base64')}`,
};
const jq = {
  name: '@a/jq',
  version: '3.0.0+1',
  license: '(MIT OR ISC)',
  parts: [{ part: 'onig', text: 'Its license' }],
};

test('a bill of materials has every package with its license, its hash and the code inside it', () => {
  const { metadata, components } = sbomOf({ ...about, parts: [zod, jq] });
  expect(metadata).toMatchObject({
    timestamp: '2026-12-01T10:00:00.000Z',
    component: { name: 'sched', version: '1.2.3', purl: 'pkg:npm/sched@1.2.3', licenses: [{ license: { id: 'MIT' } }] },
  });
  expect(components).toMatchObject([
    {
      purl: 'pkg:npm/zod@4.0.0',
      licenses: [{ license: { id: 'MIT' } }],
      hashes: [{ alg: 'SHA-512', content: Buffer.from('zod').toString('hex') }],
    },
    {
      purl: 'pkg:npm/%40a/jq@3.0.0%2B1',
      licenses: [{ expression: '(MIT OR ISC)' }],
      components: [{ name: 'onig', licenses: [{ license: { text: { content: 'Its license' } } }] }],
    },
  ]);
});

test('a bill of materials is the same for the same file, and has another number for another', () => {
  const one = sbomOf({ ...about, parts: [zod] });
  expect(sbomOf({ ...about, parts: [zod] })).toEqual(one);
  expect(one.serialNumber).toMatch(/^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(sbomOf({ ...about, parts: [zod, jq] }).serialNumber).not.toBe(one.serialNumber);
});
