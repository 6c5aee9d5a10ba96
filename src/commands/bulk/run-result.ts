import type { View } from '../../output/view.ts';
import type { Counts } from './work-receipt.ts';

export interface BulkResult extends Counts {
  run: string;
  receipt: string;
  head: string;
}

export const resultView: View = {
  columns: [
    { header: 'RUN', path: 'run', shrink: false },
    { header: 'TOTAL', path: 'total', as: 'count' },
    { header: 'ACCEPTED', path: 'accepted', as: 'count' },
    { header: 'REJECTED', path: 'rejected', as: 'count' },
    { header: 'UNKNOWN', path: 'unknown', as: 'count' },
    { header: 'SKIPPED', path: 'skipped', as: 'count' },
    { header: 'RECEIPT', path: 'receipt', shrink: false },
    { header: 'HEAD', path: 'head', shrink: false },
  ],
  id: 'run',
};

export const resultFields = resultView.columns.map(({ path }) => path);
