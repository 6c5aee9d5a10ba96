/** Loaded before the program (`node --import`). Its clock is ahead of the real time by `AHEAD_MS`. */
const { now } = Date;
Date.now = () => now() + Number(process.env.AHEAD_MS);
