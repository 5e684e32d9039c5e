// The WASI calls that flite makes, implemented in memory: no file is written, and Node's experimental `node:wasi` is not needed.

const success = 0;
const badDescriptor = 8;
const root = 3;
const output = 4;
const directory = 3;
const regularFile = 4;

class Exit extends Error {
  /** @param {number} code */
  constructor(code) {
    super(`ended with ${code}`);
    this.code = code;
  }
}

/** A growing in-memory file. */
class MemoryFile {
  bytes = new Uint8Array(64 * 1024);
  length = 0;
  position = 0;

  /** @param {Uint8Array} chunk */
  write(chunk) {
    const end = this.position + chunk.length;
    if (end > this.bytes.length) {
      const larger = new Uint8Array(Math.max(end, this.bytes.length * 2));
      larger.set(this.bytes.subarray(0, this.length));
      this.bytes = larger;
    }
    this.bytes.set(chunk, this.position);
    this.position = end;
    this.length = Math.max(this.length, end);
  }

  /** @param {number} offset @param {number} whence */
  seek(offset, whence) {
    this.position = offset + [0, this.position, this.length][whence];
    return this.position;
  }

  contents() {
    return this.bytes.slice(0, this.length);
  }
}

/**
 * Runs a program that writes one file and prints.
 * @param {WebAssembly.Module} module
 * @param {string[]} args
 * @returns {{ code: number, file: Uint8Array, printed: string }}
 */
export function runProgram(module, args) {
  const file = new MemoryFile();
  const printed = [new MemoryFile(), new MemoryFile()];
  const encoded = args.map((arg) => new TextEncoder().encode(`${arg}\0`));
  /** @type {WebAssembly.Memory} */
  let memory;
  const view = () => new DataView(memory.buffer);
  const bytes = () => new Uint8Array(memory.buffer);
  /** @param {number} fd */
  const fileOf = (fd) => (fd === output ? file : fd === 1 ? printed[0] : fd === 2 ? printed[1] : undefined);

  /** Each call returns an error number, or nothing on success. @type {Record<string, (...args: any[]) => number | void>} */
  const calls = {
    args_sizes_get: (count, size) => {
      view().setUint32(count, encoded.length, true);
      view().setUint32(
        size,
        encoded.reduce((sum, arg) => sum + arg.length, 0),
        true,
      );
    },
    args_get: (pointers, buffer) => {
      let at = buffer;
      for (const [index, arg] of encoded.entries()) {
        view().setUint32(pointers + index * 4, at, true);
        bytes().set(arg, at);
        at += arg.length;
      }
    },
    clock_time_get: (_id, _precision, out) => {
      view().setBigUint64(out, BigInt(Math.round(performance.now() * 1e6)), true);
    },
    fd_close: () => {},
    fd_fdstat_get: (fd, out) => {
      if (fd > output) return badDescriptor;
      bytes().fill(0, out, out + 24);
      view().setUint8(out, fd === root ? directory : regularFile);
      view().setBigUint64(out + 8, 0xffff_ffffn, true);
      view().setBigUint64(out + 16, 0xffff_ffffn, true);
    },
    fd_fdstat_set_flags: () => {},
    fd_prestat_get: (fd, out) => {
      if (fd !== root) return badDescriptor;
      view().setUint32(out, 0, true);
      view().setUint32(out + 4, 1, true);
    },
    fd_prestat_dir_name: (_fd, path) => {
      bytes().set([0x2f], path);
    },
    fd_read: (_fd, _vectors, _count, out) => {
      view().setUint32(out, 0, true);
    },
    fd_seek: (fd, offset, whence, out) => {
      const target = fileOf(fd);
      if (target === undefined) return badDescriptor;
      view().setBigUint64(out, BigInt(target.seek(Number(offset), whence)), true);
    },
    fd_write: (fd, vectors, count, out) => {
      const target = fileOf(fd);
      if (target === undefined) return badDescriptor;
      let written = 0;
      for (let index = 0; index < count; index++) {
        const from = view().getUint32(vectors + index * 8, true);
        const length = view().getUint32(vectors + index * 8 + 4, true);
        target.write(bytes().subarray(from, from + length));
        written += length;
      }
      view().setUint32(out, written, true);
    },
    // flite opens only its output file: the text is an argument.
    path_open: (...all) => {
      view().setUint32(all[8], output, true);
    },
    proc_exit: (code) => {
      throw new Exit(code);
    },
  };
  const imports = Object.fromEntries(
    Object.entries(calls).map(([name, call]) => [
      name,
      (/** @type {any[]} */ ...all) => call(...all) ?? success,
    ]),
  );
  const instance = new WebAssembly.Instance(module, { wasi_snapshot_preview1: imports });
  memory = /** @type {WebAssembly.Memory} */ (instance.exports.memory);
  let code = 0;
  try {
    /** @type {() => void} */ (instance.exports._start)();
  } catch (error) {
    if (!(error instanceof Exit)) throw error;
    code = error.code;
  }
  const text = printed.map((one) => new TextDecoder().decode(one.contents()));
  return { code, file: file.contents(), printed: text.join('\n') };
}
