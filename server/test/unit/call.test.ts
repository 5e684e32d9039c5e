import type { AdminRoutes } from '@session-launch/contract/admin/api';
import type { Applied, Planned } from '@session-launch/contract/admin/apply';
import type { ExperienceState } from '@session-launch/contract/admin/experience-schemas';
import { type AnswerOf, type ArgumentsOf, requestOf } from '@session-launch/contract/call';
import { describe, expect, expectTypeOf, it } from 'vitest';

type Parts<R extends keyof AdminRoutes> = ArgumentsOf<AdminRoutes[R], string, unknown>;
type Save = Parts<'PUT /admin/experiences/{experienceId}'>;

describe('a request', () => {
  it('has the parameters in its path, encoded', () => {
    const params = { projectId: 'prj_a', userId: 'a/b?c d' };
    expect(requestOf('DELETE /admin/projects/{projectId}/users/{userId}', { params })).toMatchObject({
      method: 'DELETE',
      path: '/admin/projects/prj_a/users/a%2Fb%3Fc%20d',
    });
  });

  it('has the query that is defined, encoded', () => {
    const query = { cursor: undefined, userId: 'a&b=c', limit: '5' };
    const { path } = requestOf('GET /admin/audit', { query });
    expect(path).toBe('/admin/audit?userId=a%26b%3Dc&limit=5');
    expect(Object.fromEntries(new URL(path, 'http://admin').searchParams)).toEqual({
      userId: 'a&b=c',
      limit: '5',
    });
  });

  it('is without a body and its media type if it is a GET', () => {
    const { headers, body } = requestOf('GET /admin/audit', { accept: 'application/x-ndjson' });
    expect({ headers, body }).toEqual({ headers: { accept: 'application/x-ndjson' }, body: undefined });
  });

  it('names the version in If-Match, and has an empty JSON body if it is a write without a body', () => {
    expect(
      requestOf('DELETE /admin/operators/{operatorId}', { params: { operatorId: 'opr_1' }, version: 3 }),
    ).toEqual({
      method: 'DELETE',
      path: '/admin/operators/opr_1',
      headers: { accept: 'application/json', 'content-type': 'application/json', 'if-match': '"3"' },
      body: '{}',
    });
  });

  it('leaves the media type of a file to the client', () => {
    const { headers, body } = requestOf('POST /admin/projects', { file: 'project: {}' });
    expect({ headers, body }).toEqual({ headers: { accept: 'application/json' }, body: undefined });
  });
});

describe('the types of a route', () => {
  it('accept exactly what the operation defines', () => {
    const accepted: [Parts<'GET /admin/me'>, Parts<'POST /admin/projects/{projectId}/keys'>, Save] = [
      [],
      [{ params: { projectId: 'prj_a' }, body: { mode: 'test', scopes: ['catalog:read'], name: undefined } }],
      [{ params: { experienceId: 'exp_a' }, version: 1, body: { experience: {} }, query: { plan: 'true' } }],
    ];
    // @ts-expect-error The path has a parameter.
    const withoutParams: Parts<'GET /admin/projects/{projectId}/keys'> = [];
    // @ts-expect-error The operation requires If-Match.
    const withoutVersion: Save = [{ params: { experienceId: 'exp_a' }, body: { experience: {} } }];
    // @ts-expect-error There is no such parameter in the query.
    const unknownQuery: Parts<'GET /admin/audit'> = [{ query: { project: 'prj_a' } }];
    // @ts-expect-error The body has no such field.
    const unknownField: Parts<'POST /admin/login-links'> = [{ body: { operator: 'opr_1' } }];
    // @ts-expect-error The operation has no body.
    const unknownBody: Parts<'POST /admin/logout'> = [{ body: {} }];
    // @ts-expect-error There is no such route.
    type UnknownRoute = Parts<'GET /admin/keys'>;
    expectTypeOf<UnknownRoute>();
    expect([accepted, withoutParams, withoutVersion, unknownQuery, unknownField, unknownBody]).toBeDefined();
  });

  it('have the JSON of the successful answers', () => {
    type AnswerTo<R extends keyof AdminRoutes> = AnswerOf<AdminRoutes[R]>;
    expectTypeOf<AnswerTo<'GET /admin/experiences/{experienceId}'>>().toEqualTypeOf<ExperienceState>();
    expectTypeOf<AnswerTo<'POST /admin/projects'>>().toEqualTypeOf<Applied | Planned>();
    expectTypeOf<AnswerTo<'DELETE /admin/previews/{previewId}'>>().toEqualTypeOf<undefined>();
    expectTypeOf<AnswerTo<'GET /admin/projects/{projectId}'>['project']['name']>().toEqualTypeOf<string>();
  });
});
