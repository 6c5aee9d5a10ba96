import { hash } from 'node:crypto';
import { jsonText } from '../../base/json.ts';
import type { Change, Plan } from './work-model.ts';

const digestParts = (change: Change): unknown[] => [
  change.kind,
  change.action,
  change.uri ?? change.label,
  change.owner,
  Object.entries(change.fields).sort(([one], [other]) => (one < other ? -1 : 1)),
];

/** What people agree to: 64 hex digits over what changes and from what. Keys, lines and comments of the file don't count. */
export const planDigest = ({ service, organization, changes }: Plan): string =>
  hash(
    'sha256',
    jsonText([service, organization, changes.map((change) => jsonText(digestParts(change))).sort()]),
    'hex',
  );
