/** How often something is tried: a few times in every run of the tests, as often as was promised in `npm run torture`. */
export const times = (few: number, promised: number): number => (process.env.SCHED_TORTURE ? promised : few);
