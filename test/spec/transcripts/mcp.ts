import type { Transcript } from '../transcript.ts';

export const transcripts: Record<string, Transcript> = {
  // Not the API's origin, so the token must not be sent.
  'mcp metadata': {
    line: 'GET https://mcp.example.com/.well-known/oauth-protected-resource',
    headers: { accept: 'application/json', 'user-agent': 'sched/VERSION' },
    status: 200,
    reply: {
      resource: 'https://mcp.example.com',
      authorization_servers: ['https://auth.example.com'],
      scopes_supported: ['scheduled_events:read'],
      bearer_methods_supported: ['header'],
    },
  },
};
