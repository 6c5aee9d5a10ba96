/** Loaded before the program (`node --import`): the five minutes of a login are over at once. */
const { setTimeout: real } = globalThis;

const fiveMinutes = 300_000;

/**
 * @param {() => void} work
 * @param {number} milliseconds
 */
const shortened = (work, milliseconds) => real(work, milliseconds === fiveMinutes ? 0 : milliseconds);

globalThis.setTimeout = /** @type {typeof setTimeout} */ (shortened);
