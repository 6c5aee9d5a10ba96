/** The bill of materials of a file of a release: CycloneDX, with what is in the file and nothing else. */
import { createHash } from 'node:crypto';

/**
 * @typedef {object} Part
 * @property {string} name
 * @property {string} version
 * @property {string} license as in package.json: an SPDX identifier or expression
 * @property {string} [integrity] the hash of the package
 * @property {{ part: string, text: string }[]} [parts] code inside it, with its license
 */

/** @param {{ name: string, version: string }} about */
export const purlOf = ({ name, version }) => `pkg:npm/${name.replace(/^@/, '%40')}@${version.replaceAll('+', '%2B')}`;

/** @param {string} license */
const licensesOf = (license) => (/[ (]/.test(license) ? [{ expression: license }] : [{ license: { id: license } }]);

/** @param {Part} part */
const componentOf = ({ name, version, license, integrity, parts = [] }) => {
  const purl = purlOf({ name, version });
  const [algorithm, hash = ''] = (integrity ?? '').split('-');
  return {
    type: 'library',
    'bom-ref': purl,
    name,
    version,
    licenses: licensesOf(license),
    purl,
    ...(algorithm === 'sha512' && {
      hashes: [{ alg: 'SHA-512', content: Buffer.from(hash, 'base64').toString('hex') }],
    }),
    ...(parts.length > 0 && {
      components: parts.map(({ part, text }) => ({
        type: 'library',
        'bom-ref': `${purl}#${part}`,
        name: part,
        licenses: [{ license: { name: `License of ${part}`, text: { contentType: 'text/plain', content: text } } }],
      })),
    }),
  };
};

/**
 * @param {object} about
 * @param {{ name: string, version: string, license: string, description: string }} about.manifest
 * @param {string} about.file that this is about, such as `sched-1.2.3-linux-x64`
 * @param {Date} about.date
 * @param {Part[]} about.parts
 */
export function sbomOf({ manifest: { name, version, license, description }, file, date, parts }) {
  const self = purlOf({ name, version });
  const components = parts.map(componentOf);
  // From what is in the file, so that the same release gets the same number.
  const digest = createHash('sha256')
    .update(JSON.stringify([file, date, components]))
    .digest('hex');
  const uuid = [digest.slice(0, 8), digest.slice(8, 12), `8${digest.slice(13, 16)}`, `8${digest.slice(17, 20)}`];
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: `urn:uuid:${[...uuid, digest.slice(20, 32)].join('-')}`,
    version: 1,
    metadata: {
      timestamp: date.toISOString(),
      component: {
        type: 'application',
        'bom-ref': self,
        name,
        version,
        description,
        licenses: licensesOf(license),
        purl: self,
        properties: [{ name: 'file', value: file }],
      },
    },
    components,
  };
}
