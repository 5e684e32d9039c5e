import { expect } from 'vitest';
import type { Answer } from './http.ts';
import type { Target } from './target.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests write valid and invalid documents alike
type Loose = Record<string, any>;

/** Requests of the admin API that edit experiences and projects. */
export function editorOf(service: Pick<Target, 'admin'>) {
  const ifMatch = (version: number | undefined): Record<string, string> =>
    version === undefined ? {} : { 'If-Match': `"${version}"` };
  const send = (method: string, path: string, body?: unknown, version?: number) =>
    service.admin({ method, path: `/admin/${path}`, body, headers: ifMatch(version) });
  const ok = async (answering: Promise<Answer>, status = 200) => {
    const answer = await answering;
    expect(answer.status, answer.text).toBe(status);
    return answer.json;
  };
  return {
    send,
    ok,
    read: (id: string): Promise<Loose> => ok(send('GET', `experiences/${id}`)),
    list: (projectId: string): Promise<Loose> => ok(send('GET', `projects/${projectId}/experiences`)),
    create: (projectId: string, experience: Loose) =>
      send('POST', `projects/${projectId}/experiences`, { experience }),
    save: (experience: Loose, version?: number, note?: string) =>
      send('PUT', `experiences/${experience.id}`, { experience, note }, version),
    plan: (experience: Loose, version?: number) =>
      send('PUT', `experiences/${experience.id}?plan=true`, { experience }, version),
    publish: (id: string, version?: number, body?: Loose) =>
      send('POST', `experiences/${id}/publish`, body, version),
    unpublish: (id: string, version?: number) =>
      send('POST', `experiences/${id}/unpublish`, undefined, version),
    archive: (id: string, version?: number) => send('POST', `experiences/${id}/archive`, undefined, version),
    remove: (id: string) => send('DELETE', `experiences/${id}`),
    order: (projectId: string, experienceIds: unknown, version?: number) =>
      send('PUT', `projects/${projectId}/order`, { experienceIds }, version),
    patch: (projectId: string, settings: Loose, version?: number) =>
      send('PATCH', `projects/${projectId}`, settings, version),
    revisions: async (id: string): Promise<Loose[]> =>
      (await ok(send('GET', `experiences/${id}/revisions`))).revisions,
  };
}
