import { locationKinds } from '../../api/locations.ts';
import type { Flag, Invocation } from '../command.ts';

/** `--location-kind` and `--location`, for bodies whose location is not a plain object. */
const flags: Flag[] = [
  { name: 'location-kind', value: 'WORD', choices: locationKinds, description: 'kind of location', heading: 'Flags' },
  { name: 'location', value: 'TEXT', description: 'address, phone number or instructions', heading: 'Flags' },
];

const read = ({ typed, problems }: Invocation): { kind: string; location?: string } | undefined => {
  const kind = typed['location-kind'] as string | undefined;
  const location = typed.location as string | undefined;
  if (kind === undefined) {
    if (location !== undefined) problems.add('--location needs --location-kind');
    return undefined;
  }
  problems.choice('location-kind', kind, locationKinds);
  return { kind, ...(location === undefined ? {} : { location }) };
};

export const locationFlags = { flags, read };
