/** The limits that the service's documentation states, and those that are assumed. */
export const limits = {
  /**
   * Assumed (paging.default-size): a page has `20` records by default. The documentation says so for organization
   * invitations only.
   */
  pageSize: { min: 1, max: 100, default: 20 },
  requestsPerMinute: { paid: 500, free: 10 },
  createInvitee: {
    trial: { day: 5 },
    standard: { minute: 10, hour: 50, day: 100 },
    enterprise: { minute: 500 },
  },
  /**
   * Assumed (limits.duration): every meeting takes 1 to 720 minutes. The documentation says so for the duration options
   * of a share only, so the sandbox insists on that, and the client leaves it to the service.
   */
  durationMinutes: { min: 1, max: 720 },
  shareDurationOptions: 4,
  oneOffHosts: 10,
  /** Assumed (oauth.lifetimes): an access token is valid for `7200` seconds, an authorization code for `600`. */
  accessTokenSeconds: 7200,
  authorizationCodeSeconds: 600,
  /** Assumed (oauth.device-lifetime): a device code is valid for `600` seconds. */
  deviceCodeSeconds: 600,
  /**
   * Assumed (compliance.batch): one request can delete the data of `25` addresses. The documentation states no maximum.
   */
  deletionBatch: 25,
} as const;

/** The request that books a meeting. It has limits of its own (`createInvitee`), and must never be carried out twice. */
export const bookingRequest = { method: 'POST', path: '/invitees' } as const;

export const isBooking = ({ method, path }: { method: string; path: string }): boolean =>
  method === bookingRequest.method && path === bookingRequest.path;
