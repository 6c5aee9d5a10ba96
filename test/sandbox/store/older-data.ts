import { onceEach } from '../../../src/base/once.ts';
import { demoWorld } from '../../../src/sandbox/seed/demo.ts';
import type { Store } from '../../../src/sandbox/store/store.ts';
import { rowsOf } from '../../../src/sandbox/world/rows.ts';
import { noon } from '../world.ts';

const olderGroups = ['Customer team', 'Product team'];

/** Adds the demo as an older version did: with the columns it had, and without what later stages add. */
export const seedStages = (store: Store, count: 1 | 2) => {
  const groups = new Set<unknown>();
  const columnsOf = onceEach((table: string) =>
    store.all<{ name: string }>(`PRAGMA table_xinfo("${table}")`).map(({ name }) => name),
  );
  for (const { table, columns, doc } of rowsOf(demoWorld(noon), noon).rows) {
    const known = columnsOf(table);
    if (table === 'groups' && (count === 2 || olderGroups.includes(String(doc!.name)))) groups.add(columns.id);
    const isLater = (table === 'groups' || table === 'group_members') && !groups.has(columns.group ?? columns.id);
    if (known.length === 0 || isLater) continue;
    const record =
      count === 1 && table === 'event_types' ? { ...doc, admin_managed: doc!.pooling_type === 'collective' } : doc;
    const row = Object.entries(record ? { ...columns, doc: JSON.stringify(record) } : columns);
    store.add(table, Object.fromEntries(row.filter(([name]) => known.includes(name))));
  }
  store.setFact('seed', 'demo');
  store.setFact('seeded_at', noon);
};
