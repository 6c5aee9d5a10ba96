/** Loaded before the program (`node --import`). Sets its clock ahead by `LATER_MS`. */
const { now } = Date;
Date.now = () => now() + Number(process.env.LATER_MS);
