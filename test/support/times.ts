/** How often a test repeats: a few times in a normal run, and the promised number of times in `npm run torture`. */
export const times = (few: number, promised: number): number => (process.env.SCHED_TORTURE ? promised : few);
