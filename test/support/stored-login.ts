import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Send } from '../../src/http/message.ts';

/** Every file below a directory as one text. */
export const everythingBelow = (folder: string): string =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    // Newer versions of Node keep there what they compiled of the program itself.
    .filter((entry) => entry.isFile() && !entry.parentPath.includes('/.cache/sched/compiled'))
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'))
    .join('\n');

/** The one credential that is kept in a file below this home. */
export const credentialFile = (home: string): string => {
  const folder = join(home, '.config/sched/credentials');
  return join(folder, readdirSync(folder).find((name) => name.endsWith('.json'))!);
};

/** Makes the stored access token look as if it had run out, for the program as well as for the clock. */
export const expireToken = (
  home: string,
  change: (record: Record<string, unknown>) => void = () => {},
  now = Date.now(),
): void => {
  const file = credentialFile(home);
  const record = JSON.parse(readFileSync(file, 'utf8'));
  record.expires_at = now - 60_000;
  change(record);
  writeFileSync(file, JSON.stringify(record));
};

/** Revokes the stored login at the service, as its user can do there. */
export const revokeLogin = async ({ service }: { service: Send }, home: string): Promise<void> => {
  const { issuer, client_id, refresh_token } = JSON.parse(readFileSync(credentialFile(home), 'utf8'));
  await service({
    method: 'POST',
    url: `${issuer}/oauth/revoke`,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: String(new URLSearchParams({ token: refresh_token, client_id })),
  });
};
