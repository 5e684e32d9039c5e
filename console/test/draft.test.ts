import type { ExperienceState } from '@session-launch/contract/admin/experience-schemas';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { Experience } from '../src/editor/document/model.ts';
import { toastNotSaved } from '../src/editor/saving/after-closing.ts';
import { createDraft } from '../src/editor/saving/draft.ts';
import type { Unsaved } from '../src/editor/saving/keep-draft.ts';
import { resumeUnsaved } from '../src/editor/saving/resume.ts';
import { MergeCancelled, Outdated } from '../src/editor/saving/save.ts';
import { mentionsOf } from '../src/editor/tabs/gallery/mentions.ts';
import { toasts } from '../src/state/toasts.ts';
import { frameTexts } from '../src/texts/editor/frame.ts';

const experience = (fields: Partial<Experience> = {}) =>
  ({
    id: 'exp_harbor',
    slug: 'harbor',
    title: 'Harbor',
    runtime: { characters: [] },
    ...fields,
  }) as Experience;

const state = (version: number, fields: Partial<Experience> = {}, updatedBy = 'Bea') =>
  ({
    experience: experience(fields),
    version,
    latestRevision: version,
    updatedBy,
    updatedAt: '2026-11-18T12:00:00Z',
  }) as ExperienceState;

const unsaved = (version: number, base: Partial<Experience>, changed: Partial<Experience>): Unsaved => ({
  at: '2026-11-18T11:00:00Z',
  version,
  base: experience(base),
  document: experience({ ...base, ...changed }),
  text: undefined,
});

const draftOf = (opened: ExperienceState) => createDraft('prj_shop', opened, true);

/** Answers requests with these statuses and bodies, in this order. Returns the methods and versions of the requests. */
function answer(...answers: [status: number, body: unknown][]): string[] {
  const sent: string[] = [];
  vi.stubGlobal('document', { baseURI: 'http://service.test/console/' });
  vi.stubGlobal('fetch', async (_: string, { method, headers }: RequestInit) => {
    sent.push([method, new Headers(headers).get('if-match')].filter(Boolean).join(' '));
    const [status, body] = answers.shift()!;
    return Response.json(body, { status });
  });
  return sent;
}
const refused = (code: string, details?: unknown) => ({ error: { code, message: 'Refused.', details } });

afterEach(() => {
  vi.unstubAllGlobals();
  toasts.value = [];
});

describe('a newer state', () => {
  test('is not merged while the YAML text has errors, so that a later save finds it', async () => {
    const draft = draftOf(state(1));
    draft.text.value = { text: 'title: "Mine', base: experience() };
    draft.newer.value = state(2, { title: 'Theirs' });
    await expect(draft.mergeNewer()).rejects.toThrow(frameTexts.notYaml);
    expect(draft.saved.value.version).toBe(1);
    expect(draft.newer.value?.version).toBe(2);
  });

  test('is merged at once if no field was changed by both, and after a choice otherwise', async () => {
    const draft = draftOf(state(1));
    draft.change(['title'], 'Mine');
    draft.newer.value = state(2, { description: 'Theirs' });
    await draft.mergeNewer();
    expect(draft.newer.value).toBeUndefined();
    expect(draft.saved.value.version).toBe(2);
    expect(draft.document.value).toMatchObject({ title: 'Mine', description: 'Theirs' });

    draft.newer.value = state(3, { title: 'Theirs', description: 'Theirs' });
    const merging = draft.mergeNewer();
    expect(draft.conflict.value).toMatchObject({ by: 'Bea', theirs: { title: 'Theirs' } });
    draft.conflict.value!.resolve({ title: 'theirs' });
    await merging;
    expect(draft.conflict.value).toBeUndefined();
    expect(draft.document.value.title).toBe('Theirs');
  });

  test('that prevents a publication is offered for a merge if the draft has unsaved changes', async () => {
    const draft = draftOf(state(1));
    draft.change(['title'], 'Mine');
    const theirs = state(2, { description: 'Theirs' });
    const sent = answer([412, refused('VERSION_CONFLICT')], [200, theirs], [200, state(3)]);
    const failure = await draft.setStatus('publish', 1, { revision: 1 }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(Outdated);
    expect(failure).toMatchObject({ by: 'Bea', isInDraft: false, message: frameTexts.outdatedDraft('Bea') });
    expect(draft.newer.value).toEqual(theirs);
    await draft.mergeNewer();
    await draft.setStatus('publish', draft.saved.value.version, { revision: 1 });
    expect(sent).toEqual(['POST "1"', 'GET', 'POST "2"']);
  });

  test('that prevents a publication is in a draft without unsaved changes', async () => {
    const draft = draftOf(state(1));
    answer([412, refused('VERSION_CONFLICT')], [200, state(2)]);
    const failure = await draft.setStatus('unpublish', 1).catch((error: unknown) => error);
    expect(failure).toMatchObject({ isInDraft: true, message: frameTexts.outdated('Bea') });
    expect(draft.saved.value.version).toBe(2);
    expect(draft.newer.value).toBeUndefined();
  });
});

describe('earlier unsaved changes', () => {
  test('replace a draft without changes, on the version that they were made to', async () => {
    const draft = draftOf(state(5, { description: 'By Bea' }));
    await resumeUnsaved(draft, unsaved(3, {}, { title: 'Mine' }));
    expect(draft.document.value).toEqual(experience({ title: 'Mine' }));
    expect(draft.saved.value.version).toBe(3);
    expect(draft.newer.value?.version).toBe(5);
    await draft.mergeNewer();
    expect(draft.document.value).toMatchObject({ title: 'Mine', description: 'By Bea' });
  });

  test('are merged with the changes of the draft', async () => {
    const draft = draftOf(state(5, { description: 'By Bea' }));
    draft.change(['slug'], 'old-harbor');
    await resumeUnsaved(draft, unsaved(3, {}, { title: 'Mine' }));
    expect(draft.saved.value.version).toBe(5);
    expect(draft.document.value).toMatchObject({
      slug: 'old-harbor',
      title: 'Mine',
      description: 'By Bea',
    });
  });

  test('of a field that the draft changed, too, need a choice, and leave the draft as it is if it is cancelled', async () => {
    const draft = draftOf(state(3));
    await resumeUnsaved(draft, unsaved(3, {}, { title: 'First' }));
    const second = unsaved(3, {}, { title: 'Second' });
    const cancelled = resumeUnsaved(draft, second);
    expect(draft.conflict.value).toMatchObject({ by: undefined, theirs: { title: 'Second' } });
    draft.conflict.value!.cancel();
    await expect(cancelled).rejects.toBeInstanceOf(MergeCancelled);
    expect(draft.document.value.title).toBe('First');

    const resumed = resumeUnsaved(draft, second);
    draft.conflict.value!.resolve({ title: 'theirs' });
    await resumed;
    expect(draft.document.value.title).toBe('Second');
  });

  test('of different versions do not overwrite what another operator saved in between', async () => {
    const byBea = { title: 'By Bea' };
    const draft = draftOf(state(5, byBea));
    await resumeUnsaved(draft, unsaved(3, {}, { title: 'Mine' }));
    const resumed = resumeUnsaved(draft, unsaved(5, byBea, { description: 'Mine' }));
    draft.conflict.value!.resolve({ title: 'mine' });
    await resumed;
    expect(draft.document.value).toMatchObject({ title: 'Mine', description: 'Mine' });
    expect(draft.saved.value.version).toBe(3);

    // The title of the other operator is a choice again.
    const merging = draft.mergeNewer();
    expect(draft.conflict.value).toMatchObject({ by: 'Bea', theirs: byBea });
    draft.conflict.value!.resolve({ title: 'theirs' });
    await merging;
    expect(draft.saved.value.version).toBe(5);
    expect(draft.document.value).toMatchObject({ title: 'By Bea', description: 'Mine' });
  });

  test('are not merged if one side has YAML text with errors', async () => {
    const text = { text: 'title: "Mine', base: experience() };
    const draft = draftOf(state(1));
    draft.change(['title'], 'First');
    const second = { ...unsaved(1, {}, {}), text };
    await expect(resumeUnsaved(draft, second)).rejects.toThrow(frameTexts.unsaved.notYaml);
    draft.replace(experience());
    await resumeUnsaved(draft, second);
    expect(draft.text.value).toEqual(text);
    await expect(resumeUnsaved(draft, unsaved(1, {}, { title: 'Third' }))).rejects.toThrow(
      frameTexts.notYaml,
    );
    expect(draft.document.value.title).toBe('Harbor');
  });
});

describe('a save that fails after the editor was left', () => {
  test('names the operator who saved in the meantime instead of waiting for a merge', async () => {
    const draft = draftOf(state(1));
    draft.change(['title'], 'Mine');
    answer([412, refused('VERSION_CONFLICT')], [200, state(2, { title: 'Theirs' })]);
    const saving = draft.save();
    draft.close();
    const failure = await saving.catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(MergeCancelled);
    expect(draft.conflict.value).toBeUndefined();
    toastNotSaved(draft, failure);
    expect(toasts.value).toMatchObject([
      {
        tone: 'bad',
        text: 'Not saved: Mine. Bea changed this experience in the meantime. Your changes are kept in this browser: open the experience again and choose “Continue”.',
      },
    ]);
  });

  test('does so, too, if the conflict dialog is open', async () => {
    const draft = draftOf(state(1));
    draft.change(['title'], 'Mine');
    answer([412, refused('VERSION_CONFLICT')], [200, state(2, { title: 'Theirs' })]);
    const saving = draft.save().catch((error: unknown) => error);
    await vi.waitFor(() => expect(draft.conflict.value).toBeDefined());
    draft.close();
    expect(await saving).toMatchObject({ message: frameTexts.conflict.changed('Bea') });
    expect(draft.conflict.value).toBeUndefined();
  });

  test('reports the number of problems', async () => {
    const draft = draftOf(state(1));
    draft.change(['title'], '');
    answer([400, refused('INVALID_REQUEST', [{ path: 'experience.title', message: 'is empty' }])]);
    const saving = draft.save();
    draft.close();
    toastNotSaved(draft, await saving.catch((error: unknown) => error));
    expect(toasts.value[0]!.text).toMatch(/^Not saved: exp_harbor\. 1 problem to fix before saving\. /);
  });
});

test('a picture is in use if the saved experience, the draft or its YAML text contains its path', () => {
  const draft = draftOf(state(1, { thumbnailPath: '/art/saved.webp' }));
  draft.change(['thumbnailPath'], '/art/draft.webp');
  draft.change(['runtime', 'location'], { assets: ['https://talk.test/art/asset.webp?w=320'] });
  draft.text.value = { text: 'thumbnailPath: /art/text.webp\ntitle: "', base: experience() };
  const isUsed = mentionsOf(draft);
  for (const name of ['saved', 'draft', 'asset', 'text']) expect(isUsed(`/art/${name}.webp`)).toBe(true);
  expect(isUsed('/art/other.webp')).toBe(false);
});
