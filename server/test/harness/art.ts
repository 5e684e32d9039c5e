import type { ArtRecord } from '@session-launch/contract/admin/art';
import type { Answer } from '@session-launch/testing/http.ts';
import type { Target } from '@session-launch/testing/target.ts';
import { askAdmin } from './ask-admin.ts';

/** Uploads a picture as bytes of an unstated type, unless the query or the header says otherwise. */
export function upload(
  service: Pick<Target, 'admin'>,
  projectId: string,
  content: Buffer,
  { query = 'kind=avatar', type = 'application/octet-stream' } = {},
): Promise<Answer> {
  return service.admin({
    method: 'POST',
    path: `/admin/projects/${projectId}/art?${query}`,
    headers: { 'Content-Type': type },
    body: content,
  });
}

export async function listArt(service: Pick<Target, 'admin'>, projectId: string): Promise<ArtRecord[]> {
  return (await askAdmin(service, 'GET /admin/projects/{projectId}/art', { params: { projectId } })).art;
}

/** Reads a file as bytes. */
export async function download(
  url: string,
  headers: Record<string, string> = {},
): Promise<{ status: number; headers: Headers; content: Buffer }> {
  const answer = await fetch(url, { headers });
  return { status: answer.status, headers: answer.headers, content: Buffer.from(await answer.arrayBuffer()) };
}

/** Whether this installation can resize pictures. */
export const canResize = await import('sharp').then(
  () => true,
  () => false,
);
