import { fileURLToPath } from 'node:url';

const shim = fileURLToPath(new URL('../src/output/grid-width.cjs', import.meta.url));

/**
 * Makes cli-table3 measure text with sched's own function, in the bundle and in the tests.
 * @type {import('esbuild').Plugin}
 */
export const gridWidth = {
  name: 'grid-width',
  setup: ({ onResolve }) => {
    onResolve({ filter: /^string-width$/ }, ({ importer }) =>
      /[\\/]cli-table3[\\/]/.test(importer) ? { path: shim } : undefined,
    );
  },
};
