import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Cleanup } from '@session-launch/testing/fleet.ts';

export interface Certificate {
  /** Paths of PEM files. `both` has the certificate and the key, as HAProxy reads them. */
  certificate: string;
  key: string;
  both: string;
  /** The certificate itself. */
  pem: Buffer;
}

/** Creates a self-signed certificate for a host name. */
export async function createCertificate(cleanup: Cleanup, name: string): Promise<Certificate> {
  const folder = await mkdtemp(join(tmpdir(), 'session-launch-certificate-'));
  cleanup(() => rm(folder, { recursive: true }));
  const [certificate, key, both] = ['certificate.pem', 'key.pem', 'both.pem'].map((file) =>
    join(folder, file),
  );
  const algorithm = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  const subject = ['-days', '2', '-subj', `/CN=${name}`, '-addext', `subjectAltName=DNS:${name}`];
  const files = ['-out', certificate!, '-keyout', key!];
  await promisify(execFile)('openssl', ['req', '-x509', ...algorithm, ...subject, ...files]);
  const pem = await readFile(certificate!);
  await writeFile(both!, Buffer.concat([pem, await readFile(key!)]), { mode: 0o600 });
  return { certificate: certificate!, key: key!, both: both!, pem };
}
