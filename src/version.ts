/** Set by the build from package.json. */
declare const SCHED_VERSION: string;

export const version = SCHED_VERSION;
