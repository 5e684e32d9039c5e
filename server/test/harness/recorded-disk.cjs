// Records all changes to the files of a folder in order, to replay them in a simulated power loss. RECORDED_DISK and
// NODE_OPTIONS=--require enable it in the thread of an embedded engine; tests call `record` directly.
const fs = require('node:fs');
const { dirname, sep } = require('node:path');

const { O_CREAT, O_TRUNC } = fs.constants;

/** Records until the returned function is called. */
exports.record = (root, journal) => {
  const file = fs.openSync(journal, 'a');
  const undo = [];
  const plain = {};
  const descriptors = new Map();

  const patch = (target, name, make) => {
    const original = target[name];
    plain[name] ??= original;
    target[name] = make(original);
    undo.push(() => {
      target[name] = original;
    });
  };
  // The file `spare` only reserves disk space, so its content does not matter.
  const isHere = (path) =>
    typeof path === 'string' &&
    (path === root || path.startsWith(root + sep)) &&
    !path.endsWith(`${sep}spare`);
  const inodeOf = (path) => String(plain.statSync(path, { bigint: true }).ino);
  /** Set inside functions that some versions of Node.js implement with other patched functions; prevents duplicate entries. */
  let isNested = false;
  const note = (entry, data) => {
    if (isNested) return;
    const bytes = data?.length ?? 0;
    const line = Buffer.from(`${JSON.stringify({ ...entry, bytes })}\n`);
    plain.writeSync(file, bytes === 0 ? line : Buffer.concat([line, data]));
  };
  const created = (op, path) => note({ op, path, folder: inodeOf(dirname(path)), inode: inodeOf(path) });
  const moved = (from, to) => note({ op: 'move', path: from, to, folder: inodeOf(dirname(to)) });
  const removed = (path) => note({ op: 'remove', path, folder: inodeOf(dirname(path)) });
  const onPath = (name, then) =>
    patch(fs, name, (original) => (path, ...rest) => {
      const result = original(path, ...rest);
      if (isHere(path)) then(path, ...rest);
      return result;
    });
  const onDescriptor = (name, then) =>
    patch(fs, name, (original) => (descriptor, ...rest) => {
      const result = original(descriptor, ...rest);
      const inode = descriptors.get(descriptor);
      if (inode !== undefined) then(inode, result, ...rest);
      return result;
    });

  patch(fs, 'statSync', (original) => original);
  patch(fs, 'openSync', (original) => (path, flags, ...rest) => {
    if (!isHere(path)) return original(path, flags, ...rest);
    const isNew = !fs.existsSync(path);
    const descriptor = original(path, flags, ...rest);
    descriptors.set(descriptor, inodeOf(path));
    if (isNew) created('create', path);
    else if (typeof flags === 'number' && flags & O_TRUNC && flags & O_CREAT)
      note({ op: 'cut', inode: inodeOf(path), at: 0 });
    return descriptor;
  });
  patch(fs, 'closeSync', (original) => (descriptor) => {
    descriptors.delete(descriptor);
    return original(descriptor);
  });
  patch(fs, 'writeFileSync', (original) => (path, data, ...rest) => {
    const isNew = !fs.existsSync(path);
    isNested = true;
    try {
      original(path, data, ...rest);
    } finally {
      isNested = false;
    }
    if (!isHere(path)) return;
    if (data.length > 0) throw new Error('not expected to be written at once');
    if (isNew) created('create', path);
    else note({ op: 'cut', inode: inodeOf(path), at: 0 });
  });
  onDescriptor('writeSync', (inode, written, buffer, offset, _length, at) => {
    const bytes = buffer.subarray(offset, offset + written);
    note({ op: 'write', inode, at }, Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  });
  onDescriptor('ftruncateSync', (inode, _result, at) => note({ op: 'cut', inode, at }));
  onPath('truncateSync', (path, at) => note({ op: 'cut', inode: inodeOf(path), at }));
  onDescriptor('fsyncSync', (inode) => note({ op: 'sync', inode }));
  onDescriptor('fdatasyncSync', (inode) => note({ op: 'sync', inode }));
  onPath('renameSync', moved);
  onPath('unlinkSync', removed);
  onPath('rmdirSync', removed);
  onPath('mkdirSync', (path) => created('folder', path));
  patch(fs.promises, 'rename', (original) => async (from, to) => {
    await original(from, to);
    if (isHere(from)) moved(from, to);
  });
  patch(fs.promises, 'mkdir', (original) => async (path, ...rest) => {
    const isNew = !fs.existsSync(path);
    await original(path, ...rest);
    if (isNew && isHere(path)) created('folder', path);
  });
  patch(fs.promises, 'open', (original) => async (path, ...rest) => {
    const handle = await original(path, ...rest);
    if (!isHere(path)) return handle;
    const inode = inodeOf(path);
    const sync = handle.sync.bind(handle);
    handle.sync = async () => {
      await sync();
      note({ op: 'sync', inode });
    };
    return handle;
  });
  return () => {
    for (const restore of undo.reverse()) restore();
    fs.closeSync(file);
  };
};

if (process.env.RECORDED_DISK) {
  const { root, journal } = JSON.parse(process.env.RECORDED_DISK);
  exports.record(root, journal);
}
