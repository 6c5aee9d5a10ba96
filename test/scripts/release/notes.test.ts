import { expect, test } from 'vitest';
import { changesOf, notesOf } from '../../../scripts/release/notes.js';

const changelog =
  '# Changelog\n\n## Unreleased\n\n- New.\n\n## 1.2.3 (2026-12-01)\n\n- One.\n- Two.\n\n## 1.2.2 (2026-11-01)\n\n- Old.\n';

test('the notes of a release are its section of the changelog', () => {
  expect(changesOf(changelog, '1.2.3')).toBe('- One.\n- Two.');
  expect(() => changesOf(changelog, '1.2')).toThrow('CHANGELOG.md has no section "## 1.2 (YYYY-MM-DD)"');
});

test('the notes say where the files are, how far each was tried, and what the action needs', () => {
  const files = [
    { name: 'sched-1.2.3-linux-x64.tar.gz', size: 51_000_000, hash: 'a1', tried: 'toured' },
    { name: 'sched_1.2.3_amd64.deb', size: 2, hash: 'b2', tried: 'never installed' },
  ];
  const notes = notesOf({ version: '1.2.3', changes: '- One.', url: 'https://dl.example.com/v1.2.3', files });
  expect(notes).toContain('# sched 1.2.3\n\n- One.\n');
  expect(notes).toContain(
    '| [sched-1.2.3-linux-x64.tar.gz](https://dl.example.com/v1.2.3/sched-1.2.3-linux-x64.tar.gz) | 51.0 MB | toured |',
  );
  expect(notes).toContain('sha256sums: |\n  a1  sched-1.2.3-linux-x64.tar.gz\n```');
});
