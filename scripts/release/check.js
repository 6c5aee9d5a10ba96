/**
 * `npm run release:check`: checks the files of `release/` against their checksums, the bills of materials against their schema,
 * and that no newer rules of time zones are known.
 */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fetchPackage } from '../registry.js';
import { failInWords } from '../script.js';
import { checkRelease } from '../zones.js';

failInWords();
const folder = process.argv[2] ?? fileURLToPath(new URL('../../release/', import.meta.url));
/** @param {string} path */
const json = async (path) => JSON.parse(await readFile(path, 'utf8'));

const listed = (await readFile(join(folder, 'SHA256SUMS'), 'utf8')).trim().split('\n');
for (const line of listed) {
  const [hash, name = ''] = line.split('  ');
  const found = createHash('sha256')
    .update(await readFile(join(folder, name)))
    .digest('hex');
  if (found !== hash) throw new Error(`${name} doesn't match its checksum`);
}

const schemas = join(
  await fetchPackage({
    name: '@cyclonedx/cyclonedx-library',
    version: '10.3.0',
    integrity: 'sha512-RIT28sp1U0PCHaaeF3yNRwk6Jig/XJ8UsYAVOMYaHQ+0VVOvsjcp0PTWQFLUqJFF8XMud+Kdq6G+wtDAh+QJFA==',
  }),
  'res/schema',
);
const validator = await fetchPackage({
  name: 'ajv-dist',
  version: '8.17.1',
  integrity: 'sha512-KzJwANMzTTR/RERGnkx+bHzmxIfMTPMMv7+cH1d6Lx9UQ7BZyhiieq4hnO5lRuBWOtYTUL8hyWs7RJYI/45Rtg==',
});
const Ajv = createRequire(import.meta.url)(join(validator, 'dist/ajv7.bundle.js'));
const ajv = new Ajv({ strict: false, validateFormats: false });
for (const name of ['spdx.SNAPSHOT.schema.json', 'jsf-0.82.SNAPSHOT.schema.json'])
  ajv.addSchema(await json(join(schemas, name)), `http://cyclonedx.org/schema/${name}`);
const isValid = ajv.compile(await json(join(schemas, 'bom-1.6.SNAPSHOT.schema.json')));

const boms = (await readdir(folder)).filter((name) => name.endsWith('.cdx.json'));
for (const name of boms)
  if (!isValid(await json(join(folder, name)))) throw new Error(`${name}: ${JSON.stringify(isValid.errors, null, 2)}`);
process.stdout.write(`${listed.length} files match SHA256SUMS; ${boms.length} bills of materials fit CycloneDX 1.6.\n`);
process.stdout.write(`${await checkRelease()}\n`);
