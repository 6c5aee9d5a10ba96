/** Loaded before the program (`node --import`). Makes the five minutes of a login pass at once. */
const { setTimeout: real } = globalThis;

const fiveMinutes = 300_000;

/**
 * @param {() => void} work
 * @param {number} milliseconds
 */
const shortened = (work, milliseconds) => real(work, milliseconds === fiveMinutes ? 0 : milliseconds);

globalThis.setTimeout = /** @type {typeof setTimeout} */ (shortened);
