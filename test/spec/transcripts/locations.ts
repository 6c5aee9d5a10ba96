import { lastPage, plain, type Transcript } from '../transcript.ts';

export const transcripts: Record<string, Transcript> = {
  // Decided: this list isn't paged, so no count is sent.
  'locations list': {
    line: 'GET /locations?user=https%3A%2F%2Fapi.example.com%2Fusers%2FUSER_ID',
    headers: plain,
    status: 200,
    reply: { collection: [{ kind: 'zoom_conference', connected: true }], pagination: lastPage(1) },
  },
};
