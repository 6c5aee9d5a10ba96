import { plain, type Transcript, user } from '../transcript.ts';

export const transcripts: Record<string, Transcript> = {
  'users me': { line: 'GET /users/me', headers: plain, status: 200, reply: { resource: user } },
  'users get': { line: 'GET /users/USER_ID', headers: plain, status: 200, reply: { resource: user } },
};
