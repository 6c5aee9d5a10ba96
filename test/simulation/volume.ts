import type { Dice } from './dice.ts';

/*
 * A disk. A change is in memory first, and lasts after a sync: of a file for its content, of a directory for its names. A
 * killed process loses nothing. A power cut loses what wasn't synced, or a part of it.
 */

interface FileNode {
  readonly kind: 'file';
  mode: number;
  mtimeMs: number;
  data: Buffer;
  /** What a power cut leaves at least. */
  synced: Buffer;
}

interface DirectoryNode {
  readonly kind: 'directory';
  mode: number;
  mtimeMs: number;
  names: Map<string, Node>;
  /** The names that a power cut leaves at least, and the changes since then, oldest first. */
  synced: Map<string, Node>;
  changes: [name: string, node: Node | undefined][];
}

export type Node = FileNode | DirectoryNode;

/** An error as the system reports it. */
export const failure = (code: string, call: string, path: string): NodeJS.ErrnoException =>
  Object.assign(new Error(`${code}: ${call} '${path}'`), { code, syscall: call, path, errno: -1 });

const nothing = Buffer.alloc(0);

const newFile = (mode: number, mtimeMs: number): FileNode => ({
  kind: 'file',
  mode,
  mtimeMs,
  data: nothing,
  synced: nothing,
});

const newDirectory = (mode: number, mtimeMs: number): DirectoryNode => ({
  kind: 'directory',
  mode,
  mtimeMs,
  names: new Map(),
  synced: new Map(),
  changes: [],
});

const change = (directory: DirectoryNode, name: string, node: Node | undefined): void => {
  if (node === undefined) directory.names.delete(name);
  else directory.names.set(name, node);
  directory.changes.push([name, node]);
};

/** Puts the first changes of a directory on the disk. */
const keepChanges = (directory: DirectoryNode, count: number): void => {
  for (const [name, node] of directory.changes.splice(0, count))
    if (node === undefined) directory.synced.delete(name);
    else directory.synced.set(name, node);
};

const partsOf = (path: string): string[] => path.split('/').filter((part) => part !== '' && part !== '.');

/** What is left of a file that was being written: the old content, the new one, its beginning, or zeros at its end. */
const leftOf = ({ data, synced }: FileNode, dice: Dice): Buffer => {
  const isAppended = data.subarray(0, synced.length).equals(synced);
  const isCut = synced.subarray(0, data.length).equals(data);
  // What was synced before and is still part of the file can't be lost.
  const from = isAppended ? synced.length : isCut ? data.length : 0;
  switch (dice.below(4)) {
    case 0:
      return synced;
    case 1:
      return data.subarray(0, from + dice.below(data.length - from + 1));
    case 2:
      return isAppended ? Buffer.concat([synced, Buffer.alloc(data.length - from)]) : data;
    default:
      return data;
  }
};

export const createVolume = () => {
  const root = newDirectory(0o755, 0);

  const find = (path: string): Node | undefined => {
    let at: Node | undefined = root;
    for (const part of partsOf(path)) {
      if (at?.kind !== 'directory') return undefined;
      at = at.names.get(part);
    }
    return at;
  };

  const need = (path: string, call: string): Node => {
    const found = find(path);
    if (found === undefined) throw failure('ENOENT', call, path);
    return found;
  };

  const needDirectory = (path: string, call: string): DirectoryNode => {
    const found = need(path, call);
    if (found.kind !== 'directory') throw failure('ENOTDIR', call, path);
    return found;
  };

  /** The directory that a path is in, and its last name. */
  const placeOf = (path: string, call: string): [directory: DirectoryNode, name: string] => {
    const parts = partsOf(path);
    const name = parts.pop()!;
    return [needDirectory(`/${parts.join('/')}`, call), name];
  };

  return {
    find,
    need,

    create(path: string, mode: number, now: number): FileNode {
      const [directory, name] = placeOf(path, 'open');
      const file = newFile(mode, now);
      change(directory, name, file);
      return file;
    },

    /** Returns the first directory that was missing. */
    makeDirectory(path: string, now: number, isRecursive: boolean): string | undefined {
      if (!isRecursive) {
        const [directory, name] = placeOf(path, 'mkdir');
        if (directory.names.has(name)) throw failure('EEXIST', 'mkdir', path);
        change(directory, name, newDirectory(0o700, now));
        return path;
      }
      let at = root;
      let first: string | undefined;
      const way: string[] = [];
      for (const part of partsOf(path)) {
        way.push(part);
        const next = at.names.get(part) ?? newDirectory(0o700, now);
        if (next.kind !== 'directory') throw failure('ENOTDIR', 'mkdir', path);
        if (!at.names.has(part)) {
          change(at, part, next);
          first ??= `/${way.join('/')}`;
        }
        at = next;
      }
      return first;
    },

    remove(path: string, { isForced = false, isRecursive = false } = {}): void {
      const found = find(path);
      if (found === undefined) {
        if (isForced) return;
        throw failure('ENOENT', 'unlink', path);
      }
      if (found.kind === 'directory' && !isRecursive) throw failure('EISDIR', 'unlink', path);
      const [directory, name] = placeOf(path, 'unlink');
      change(directory, name, undefined);
    },

    link(from: string, to: string): void {
      const node = need(from, 'link');
      const [directory, name] = placeOf(to, 'link');
      if (directory.names.has(name)) throw failure('EEXIST', 'link', to);
      change(directory, name, node);
    },

    rename(from: string, to: string): void {
      const node = need(from, 'rename');
      const [there, next] = placeOf(to, 'rename');
      const [here, old] = placeOf(from, 'rename');
      change(there, next, node);
      change(here, old, undefined);
    },

    list(path: string): string[] {
      return [...needDirectory(path, 'scandir').names.keys()].sort();
    },

    sync(node: Node): void {
      if (node.kind === 'file') node.synced = node.data;
      else keepChanges(node, node.changes.length);
    },

    cutPower(dice: Dice): void {
      const seen = new Set<Node>();
      const visit = (node: Node): void => {
        if (seen.has(node)) return;
        seen.add(node);
        if (node.kind === 'file') {
          if (node.data !== node.synced) node.data = leftOf(node, dice);
          node.synced = node.data;
          return;
        }
        keepChanges(node, dice.below(node.changes.length + 1));
        node.changes = [];
        node.names = new Map(node.synced);
        for (const each of node.names.values()) visit(each);
      };
      visit(root);
    },

    /** Puts a file there that lasts, as if somebody had written it long ago. */
    place(path: string, text: string): void {
      const names = partsOf(path);
      const last = names.pop()!;
      let at = root;
      for (const name of names) {
        const next = at.names.get(name) ?? newDirectory(0o700, 0);
        if (next.kind !== 'directory') throw failure('ENOTDIR', 'place', path);
        at.names.set(name, next);
        at.synced.set(name, next);
        at = next;
      }
      const file = newFile(0o600, 0);
      file.data = Buffer.from(text);
      file.synced = file.data;
      at.names.set(last, file);
      at.synced.set(last, file);
    },

    /** All files with their paths, for checks. */
    *files(directory: DirectoryNode = root, path = ''): Generator<[path: string, data: Buffer]> {
      for (const [name, node] of directory.names)
        if (node.kind === 'file') yield [`${path}/${name}`, node.data];
        else yield* this.files(node, `${path}/${name}`);
    },
  };
};

export type Volume = ReturnType<typeof createVolume>;
