import { contract } from '@session-launch/testing/contract.ts';
import { deployedService } from '@session-launch/testing/deployment.ts';
import type { Answer } from '@session-launch/testing/http.ts';
import { connect } from '@session-launch/testing/lifecycle.ts';
import { createWorld, experience, pageOrigin, runtime, type World } from '@session-launch/testing/world.ts';
import { beforeAll, expect, test } from 'vitest';

const service = deployedService();
/** Placed in every field of a mind, to detect which of them are exposed. */
const planted = 'The treasure lies under the third lantern.';
const texts = { en: [planted], 'pt-PT': planted };

let world: World;
beforeAll(async () => {
  const mind = {
    persona: planted,
    greeting: texts,
    fallback: texts,
    // biome-ignore lint/suspicious/noThenProperty: the word that authors write
    topics: [{ id: 'treasure', ask: texts, words: texts, tell: texts, then: ['treasure'] }],
    lessons: [{ id: 'lantern', say: texts, gloss: texts }],
    presentation: [{ id: 'opening', title: texts, tell: texts }],
  };
  const open = { public: true, allowedOrigins: [pageOrigin], runtime: runtime({ mind }) };
  world = await createWorld(service, { experience: experience(open) });
});

test('a mind is sent to the runtime, and never appears in a public response', async () => {
  const body = { experienceId: world.experienceId };
  const headers = { Authorization: `Bearer ${world.key}`, Origin: pageOrigin };
  const mint = (path: string, more: object = {}) =>
    service.call({ method: 'POST', path, headers, body: { ...body, ...more } });
  const minted = await mint('/v1/sessions');
  const { sessionId, sessionToken } = minted.json.launch;
  const connected = await connect(service, { sessionId, sessionToken });
  // Proves that the text is present where it belongs; otherwise the checks below could not fail.
  expect(connected.text.split(planted).length - 1).toBeGreaterThan(15);
  expect(JSON.stringify(connected.json.session)).not.toContain(planted);
  expect(JSON.stringify(connected.json.manifest)).not.toContain(planted);

  const slug = world.file.experiences[0]?.slug;
  const filled = (path: string) =>
    path
      .replace('{sessionId}', sessionId)
      .replace('{projectId}', world.projectId)
      .replace('{slug}', slug)
      .replace(/\{\w+\}/, 'unknown');
  const answers: Answer[] = [minted];
  for (const [path, methods] of Object.entries<object>(contract.paths)) {
    for (const method of Object.keys(methods)) {
      const call = { method: method.toUpperCase(), path: filled(path) };
      answers.push(await service.call({ ...call, headers, body: method === 'post' ? body : undefined }));
      answers.push(await service.call({ ...call, headers, body: method === 'post' ? {} : undefined }));
      answers.push(await service.call({ ...call, body: method === 'post' ? '{' : undefined }));
    }
  }
  for (const endpoint of ['/v1/sessions', '/v1/browser-sessions', '/v1/public-sessions']) {
    answers.push(await mint(endpoint, { speechOnly: true }), await mint(endpoint, { mode: 'presenter' }));
    answers.push(await mint(endpoint, { experienceId: 'exp_unknown' }));
  }
  for (const path of ['/', '/openapi.json', '/reference', '/nowhere'])
    answers.push(await service.call({ path }));
  const leave = { method: 'POST', path: `/v1/sessions/${sessionId}/leave`, body: sessionToken };
  answers.push(await service.call(leave));

  expect(answers.filter(({ status }) => status < 300).length).toBeGreaterThan(10);
  for (const { text } of answers) {
    expect(text).not.toContain(planted);
    expect(text).not.toContain('treasure');
  }
});
