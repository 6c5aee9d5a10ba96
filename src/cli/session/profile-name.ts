/** What a profile may be called. */
export const profileName = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

export const nameProblem = (name: string): string | undefined =>
  profileName.test(name) ? undefined : `'${name}' is not a profile name: letters, digits, dot, dash and underscore`;
