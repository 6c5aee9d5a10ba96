/** The limits that the service's documentation states, and those that are assumed. */
export const limits = {
  /** Assumed: the default of organization invitations is that of every list. */
  pageSize: { min: 1, max: 100, default: 20 },
  requestsPerMinute: { paid: 500, free: 10 },
  createInvitee: {
    trial: { day: 5 },
    standard: { minute: 10, hour: 50, day: 100 },
    enterprise: { minute: 500 },
  },
  /**
   * Documented for the duration options of a share.
   * Assumed: other meetings are as long. Only the sandbox insists; the client leaves that to the service.
   */
  durationMinutes: { min: 1, max: 720 },
  shareDurationOptions: 4,
  oneOffHosts: 10,
  /** Assumed: an access token is valid for two hours, an authorization code for ten minutes. */
  accessTokenSeconds: 7200,
  authorizationCodeSeconds: 600,
  /** Assumed: a device code is valid for ten minutes. */
  deviceCodeSeconds: 600,
  /** Assumed: 25 addresses per request are accepted; the service documents no maximum. */
  deletionBatch: 25,
} as const;
