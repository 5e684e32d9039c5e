/** The parts of the POSIX tar format (ustar) that a backup needs: files and folders with short names. */

const blockSize = 512;

export interface TarEntry {
  name: string;
  isFolder: boolean;
  size: number;
  /** The content; what is not read is skipped. */
  body: () => AsyncGenerator<Buffer>;
}

/** Thrown if the bytes are not a tar archive, or end too early. */
export class TarError extends Error {}

export function tarHeader(name: string, size: number, options: { isFolder?: boolean } = {}): Buffer {
  if (Buffer.byteLength(name) > 99) throw new TarError(`the name ${name} is too long`);
  const header = Buffer.alloc(blockSize);
  const field = (text: string, offset: number) => void header.write(text, offset, 'latin1');
  const octal = (value: number, digits: number) => value.toString(8).padStart(digits, '0');
  header.write(name, 0, 'utf8');
  field(options.isFolder ? '0000700\0' : '0000600\0', 100);
  field('0000000\0', 108);
  field('0000000\0', 116);
  field(`${octal(size, 11)}\0`, 124);
  field(`${octal(Math.floor(Date.now() / 1000), 11)}\0`, 136);
  field(options.isFolder ? '5' : '0', 156);
  field('ustar\u000000', 257);
  field(`${octal(checksumOf(header), 6)}\0 `, 148);
  return header;
}

/** The zeros that follow a file of this size. */
export function tarPadding(size: number): Buffer {
  return Buffer.alloc((blockSize - (size % blockSize)) % blockSize);
}

export const tarEnd = Buffer.alloc(2 * blockSize);

/** Reads an archive. Throws a TarError if it does not end with its end mark. */
export async function* readTar(source: AsyncIterable<Buffer>): AsyncGenerator<TarEntry> {
  const bytes = new Bytes(source);
  for (;;) {
    const header = await bytes.exactly(blockSize);
    if (header.every((byte) => byte === 0)) break;
    const { name, isFolder, size } = parseHeader(header);
    let left = size;
    const body = async function* () {
      while (left > 0) {
        const chunk = await bytes.atMost(left);
        left -= chunk.length;
        yield chunk;
      }
    };
    yield { name, isFolder, size, body };
    for await (const _ of body());
    await bytes.exactly(tarPadding(size).length);
  }
  // Reading to the end verifies the checksum of a compressed archive.
  await bytes.toEnd();
}

function parseHeader(header: Buffer): { name: string; isFolder: boolean; size: number } {
  const text = (start: number, length: number) =>
    header
      .subarray(start, start + length)
      .toString('utf8')
      .replace(/\0[\s\S]*$/, '');
  const octal = (start: number, length: number) => {
    const digits = text(start, length).trim();
    if (!/^[0-7]+$/.test(digits)) throw new TarError('a header is damaged');
    return Number.parseInt(digits, 8);
  };
  if (text(257, 5) !== 'ustar' || octal(148, 8) !== checksumOf(header)) {
    throw new TarError('it is not a tar archive');
  }
  const type = text(156, 1);
  if (type !== '0' && type !== '5') throw new TarError(`an entry has the unknown type ${type}`);
  return { name: text(0, 100), isFolder: type === '5', size: octal(124, 12) };
}

/** The sum of all bytes of a header, with spaces in place of the checksum itself. */
function checksumOf(header: Buffer): number {
  return header.reduce((sum, byte, at) => sum + (at >= 148 && at < 156 ? 0x20 : byte), 0);
}

/** Reads given numbers of bytes from a stream of chunks. */
class Bytes {
  readonly #source: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(source: AsyncIterable<Buffer>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  /** Returns one byte or more. */
  async atMost(count: number): Promise<Buffer> {
    while (this.#rest.length === 0) {
      const { value, done } = await this.#source.next();
      if (done) throw new TarError('it ends too early');
      this.#rest = value;
    }
    const taken = this.#rest.subarray(0, count);
    this.#rest = this.#rest.subarray(count);
    return taken;
  }

  async exactly(count: number): Promise<Buffer> {
    const chunks: Buffer[] = [];
    for (let left = count; left > 0; left -= chunks.at(-1)!.length) chunks.push(await this.atMost(left));
    return Buffer.concat(chunks);
  }

  async toEnd(): Promise<void> {
    while (!(await this.#source.next()).done);
  }
}
