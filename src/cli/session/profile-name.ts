/** A valid profile name. */
export const profileName = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

export const nameProblem = (name: string): string | undefined =>
  profileName.test(name)
    ? undefined
    : `"${name}" is not a valid profile name. Use letters, digits, dots, dashes and underscores`;
